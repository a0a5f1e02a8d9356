"use client";

import { PageHeader } from "@/components/shell/page-header";

export function MemoryView() {
  return <PageHeader crumbs={[{ label: "Memory" }]} />;
}
