import type { Metadata } from "next";
import { Suspense } from "react";
import { ApprovalsView } from "@/approvals/approvals-view";
import { PageSkeleton } from "@/components/page-skeleton";

export const metadata: Metadata = { title: "Approvals" };

export default function ApprovalsPage() {
  return (
    <Suspense fallback={<PageSkeleton />}>
      <ApprovalsView />
    </Suspense>
  );
}
