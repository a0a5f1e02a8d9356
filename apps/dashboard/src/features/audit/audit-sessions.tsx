"use client";

import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { ListBody, Pager } from "@/components/list-page";
import { useQueryParam } from "@/core/address/use-query-param";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { AuditSessionRow } from "./audit-session-row";

const sessionsPerPage = 30;
const on = ["audit"] as const;

/** The audit sessions of the mesh, newest first, with their thoughts and sealed roots. */
export function AuditSessions() {
  const [open] = useQueryParam("a");
  const [beforeParam] = useQueryParam("before");
  const before = toNumber(beforeParam);
  const [initiallyOpen] = useState(open);
  const { data, problem, refresh } = useRead(
    "list_audit_sessions",
    { limit: sessionsPerPage, ...(before === null ? {} : { before }) },
    { on, keepLast: true },
  );
  // A link may open an audit session that is not on this page.
  const openedSession = useRead(
    "list_audit_sessions",
    initiallyOpen === null ? null : { session_id: initiallyOpen },
    { on },
  );
  const sessions = data?.sessions;
  const isListed = sessions?.some(({ session_id }) => session_id === open) ?? false;
  const unlistedSessions = isListed || initiallyOpen !== open ? [] : (openedSession.data?.sessions ?? []);
  const isUnknown =
    open !== null && open === initiallyOpen && !isListed && openedSession.data?.sessions.length === 0;

  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="max-w-[72ch] text-muted-foreground">
        Decisions as agents recorded them. Each record is chained to the one before, and finalizing a session
        seals it with one root.
      </p>
      {isUnknown && <p className="text-muted-foreground">Audit session “{open}” not found in this mesh.</p>}
      <ListBody
        items={sessions && [...unlistedSessions, ...sessions]}
        problem={problem}
        onRetry={refresh}
        failureTitle="Couldn't load audit sessions."
        loadingLabel="Loading audit sessions"
        label="Audit sessions, newest first"
        empty={
          before === null && (
            <Empty>
              <EmptyTitle>No audit sessions yet</EmptyTitle>
              <EmptyDescription>
                Agents start one with audit_session_start, add records with thought_record, and seal it with
                merkle_finalize.
              </EmptyDescription>
            </Empty>
          )
        }
      >
        {(session) => (
          <AuditSessionRow key={session.session_id} session={session} isOpen={session.session_id === open} />
        )}
      </ListBody>
      <Pager label="Pages of audit sessions" before={before} next={data?.next_cursor ?? null} />
    </div>
  );
}

function toNumber(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}
