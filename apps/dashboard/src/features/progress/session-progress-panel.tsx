"use client";

import { PageBody } from "@/components/page-body";
import { PanelBoundary } from "@/components/panel-boundary";
import { useSession } from "@/sessions/session-context";
import { ProgressBrowser } from "./progress-browser";

/** The progress entries of one session. */
export function SessionProgressPanel() {
  const { session } = useSession();
  return (
    <section aria-label="Progress" className="min-h-0 min-w-0 flex-1 overflow-y-auto">
      <PageBody>
        <PanelBoundary title="Progress log">
          <ProgressBrowser session={session.slug} />
        </PanelBoundary>
      </PageBody>
    </section>
  );
}
