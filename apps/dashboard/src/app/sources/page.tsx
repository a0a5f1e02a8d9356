import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { SourcesView } from "@/features/sources/sources-view";

export const metadata: Metadata = { title: "Files" };

export default function SourcesPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Files" />}>
      <SourcesView />
    </Suspense>
  );
}
