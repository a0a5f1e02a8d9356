import type { Metadata } from "next";
import { Suspense } from "react";
import { PageSkeleton } from "@/components/page-skeleton";
import { SearchView } from "@/features/search/search-view";

export const metadata: Metadata = { title: "Search" };

export default function SearchPage() {
  return (
    <Suspense fallback={<PageSkeleton title="Search" />}>
      <SearchView />
    </Suspense>
  );
}
