"use client";

import { PageBody } from "@/components/page-body";
import { PanelBoundary } from "@/components/panel-boundary";
import { useSession } from "@/sessions/session-context";
import { MemoryBrowser } from "./memory-browser";

/** The memories of one session. */
export function SessionMemoryPanel() {
  const { session } = useSession();
  return (
    <section aria-label="Memory" className="min-w-0">
      <PageBody>
        <PanelBoundary title="Memory">
          <MemoryBrowser session={session.slug} />
        </PanelBoundary>
      </PageBody>
    </section>
  );
}
