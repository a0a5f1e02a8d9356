import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { InboxView } from "@/views/attention/inbox-view";

export const metadata: Metadata = { title: "Needs you" };

export default function NeedsYouPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Needs you" />}>
      <InboxView />
    </Suspense>
  );
}
