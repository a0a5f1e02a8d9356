import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { SessionsView } from "@/views/sessions/sessions-view";

export const metadata: Metadata = { title: "Sessions" };

export default function SessionsPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Sessions" />}>
      <SessionsView />
    </Suspense>
  );
}
