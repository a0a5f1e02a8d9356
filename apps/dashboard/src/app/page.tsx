import type { Metadata } from "next";
import { Suspense } from "react";
import { SessionsView } from "@/components/sessions/sessions-view";
import { PageSkeleton } from "@/components/shell/page-skeleton";

export const metadata: Metadata = { title: "Sessions" };

export default function SessionsPage() {
  return (
    <Suspense fallback={<PageSkeleton />}>
      <SessionsView />
    </Suspense>
  );
}
