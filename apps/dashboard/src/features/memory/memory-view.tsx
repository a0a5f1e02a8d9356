"use client";

import { PageBody } from "@/components/page-body";
import { PageHeader } from "@/components/page-header";
import { PanelBoundary } from "@/components/panel-boundary";
import { MemoryBrowser } from "./memory-browser";

/** The memories of all sessions of the mesh. */
export function MemoryView() {
  return (
    <>
      <PageHeader crumbs={[{ label: "Memory" }]} />
      <PageBody>
        <h1 className="sr-only">Memory</h1>
        <PanelBoundary title="Memory">
          <MemoryBrowser session={null} />
        </PanelBoundary>
      </PageBody>
    </>
  );
}
