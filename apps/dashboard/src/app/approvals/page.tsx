import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { ApprovalsView } from "@/features/approvals/approvals-view";

export const metadata: Metadata = { title: "Approvals" };

export default function ApprovalsPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Approvals" />}>
      <ApprovalsView />
    </Suspense>
  );
}
