"use client";

import { Suspense } from "react";
import { PanelBoundary } from "@/components/panel-boundary";
import { useSession } from "@/components/session/session-context";
import { AuditLog } from "./audit-log";
import { EffortTable } from "./effort-table";
import { ExportList } from "./export-list";
import { SealCard } from "./seal-card";

/** What can be shown of the session to somebody who was not there: its seal, its exports, what happened, and who did how much. */
export function AuditView() {
  const { session } = useSession();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="grid max-w-7xl gap-x-8 gap-y-6 p-4 lg:grid-cols-[minmax(0,1fr)_23rem] lg:p-6">
        <div className="grid content-start gap-6 lg:order-last">
          <PanelBoundary title="The seal">
            <SealCard />
          </PanelBoundary>
          <ExportList slug={session.slug} />
          <PanelBoundary title="The effort">
            <EffortTable />
          </PanelBoundary>
        </div>
        <PanelBoundary title="The log">
          <Suspense>
            <AuditLog />
          </Suspense>
        </PanelBoundary>
      </div>
    </div>
  );
}
