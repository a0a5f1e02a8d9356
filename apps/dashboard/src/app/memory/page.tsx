import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { MemoryView } from "@/features/memory/memory-view";

export const metadata: Metadata = { title: "Memory" };

export default function MemoryPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Memory" />}>
      <MemoryView />
    </Suspense>
  );
}
