"use client";

import { PageHeader } from "@/components/shell/page-header";

export function SearchView() {
  return <PageHeader crumbs={[{ label: "Search" }]} />;
}
