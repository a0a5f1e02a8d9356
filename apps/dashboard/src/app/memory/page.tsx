import type { Metadata } from "next";
import { Suspense } from "react";
import { MemoryView } from "@/components/memory/memory-view";
import { PageSkeleton } from "@/components/shell/page-skeleton";

export const metadata: Metadata = { title: "Memory" };

export default function MemoryPage() {
  return (
    <Suspense fallback={<PageSkeleton />}>
      <MemoryView />
    </Suspense>
  );
}
