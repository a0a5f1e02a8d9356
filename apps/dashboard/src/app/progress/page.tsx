import type { Metadata } from "next";
import { Suspense } from "react";
import { ProgressView } from "@/components/progress/progress-view";
import { PageSkeleton } from "@/components/shell/page-skeleton";

export const metadata: Metadata = { title: "Progress" };

export default function ProgressPage() {
  return (
    <Suspense fallback={<PageSkeleton />}>
      <ProgressView />
    </Suspense>
  );
}
