"use client";

import type { ExportFormat } from "@merkle/wire";
import { Download } from "lucide-react";
import { Suspense } from "react";
import { PageBody } from "@/components/page-body";
import { PanelBoundary } from "@/components/panel-boundary";
import { useQueryParam } from "@/core/address/use-query-param";
import { ExportLink } from "@/features/export/api";
import { UsageTable } from "@/features/usage/api";
import { Parts } from "@/parts/features-context";
import { useSession } from "@/sessions/session-context";
import { AuditLog } from "./audit-log";
import { SealCard } from "./seal-card";
import { WorkLog } from "./work-log";

/** The audit of a session, or what one team did in it. */
export function AuditView() {
  return (
    <Suspense>
      <AuditOfAddress />
    </Suspense>
  );
}

function AuditOfAddress() {
  const [team] = useQueryParam("by");
  if (team === null) return <SessionAudit />;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageBody>
        <PanelBoundary key={team} title="Log">
          <WorkLog team={team} />
        </PanelBoundary>
      </PageBody>
    </div>
  );
}

/** Evidence about the session for people who did not take part: its seal, exports, events and each team's effort. */
function SessionAudit() {
  const { session } = useSession();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <PageBody className="grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_23rem]">
        <div className="grid content-start gap-6 lg:order-last">
          <PanelBoundary title="Seal">
            <SealCard />
          </PanelBoundary>
          <ExportList slug={session.slug} />
          <PanelBoundary title="Effort">
            <Parts select={({ session: parts }) => parts?.Effort} />
          </PanelBoundary>
        </div>
        <div className="grid min-w-0 content-start gap-6">
          <section aria-labelledby="usage">
            <h2 id="usage" className="mb-2 text-lg font-semibold">
              Usage reported by agents
            </h2>
            <PanelBoundary title="Usage">
              <UsageTable session={session.session_id} groupings={["team", "peer", "task", "model", "day"]} />
            </PanelBoundary>
          </section>
          <PanelBoundary title="Log">
            <AuditLog />
          </PanelBoundary>
        </div>
      </PageBody>
    </div>
  );
}

const formats: readonly { readonly as: ExportFormat; readonly title: string; readonly what: string }[] = [
  { as: "bundle", title: "Bundle", what: "Everything, signed (.zip): verify it or import it elsewhere" },
  { as: "html", title: "HTML", what: "One file to share, which verifies itself offline" },
  { as: "md", title: "Transcript", what: "Readable Markdown, conclusion first" },
  { as: "ndjson", title: "Messages", what: "NDJSON for programs, one message per line" },
];

/** The session's exports. Their URLs contain no credential. */
function ExportList({ slug }: { readonly slug: string }) {
  return (
    <section aria-labelledby="exports">
      <h2 id="exports" className="mb-2 text-lg font-semibold">
        Export
      </h2>
      <ul className="divide-y rounded-lg border">
        {formats.map(({ as, title, what }) => (
          <li key={as}>
            <ExportLink
              slug={slug}
              as={as}
              className="flex items-center gap-3 px-3 py-2 hover:bg-raised pointer-coarse:min-h-11"
            >
              <Download aria-hidden className="size-4 shrink-0 text-muted-foreground" />
              <span className="min-w-0 flex-1">
                <span className="block font-medium">{title}</span>
                <span className="block text-sm text-muted-foreground">{what}</span>
              </span>
            </ExportLink>
          </li>
        ))}
      </ul>
    </section>
  );
}
