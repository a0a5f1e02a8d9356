"use client";

import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
import { MemoryBrowser } from "./memory-browser";

/** The memories of all sessions of the mesh. */
export function MemoryView() {
  return (
    <>
      <PageHeader crumbs={[{ label: "Memory" }]} />
      <div className="max-w-5xl p-4 lg:p-6">
        <h1 className="sr-only">Memory</h1>
        <PanelBoundary title="The memories">
          <MemoryBrowser session={null} />
        </PanelBoundary>
      </div>
    </>
  );
}
