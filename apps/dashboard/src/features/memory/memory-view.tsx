"use client";

import { ListPage } from "@/components/list-page";
import { MemoryBrowser } from "./memory-browser";

/** The memories of all sessions of the mesh. */
export function MemoryView() {
  return (
    <ListPage title="Memory">
      <MemoryBrowser session={null} />
    </ListPage>
  );
}
