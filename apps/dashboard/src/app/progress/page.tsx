import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { ProgressView } from "@/features/progress/progress-view";

export const metadata: Metadata = { title: "Progress" };

export default function ProgressPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Progress" />}>
      <ProgressView />
    </Suspense>
  );
}
