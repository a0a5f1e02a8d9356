"use client";

import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { setQuery } from "@/core/address/address";
import { useQueryParam } from "@/core/address/use-query-param";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Skeleton } from "@/ui/skeleton";
import { AuditSessionRow } from "./audit-session-row";

const sessionsPerPage = 30;
const on = ["audit"] as const;

/** The audit sessions of the mesh, newest first: what was thought, and the root that it was sealed with. */
export function AuditSessions() {
  const [open] = useQueryParam("a");
  const [beforeParam] = useQueryParam("before");
  const before = toNumber(beforeParam);
  const [opened] = useState(open);
  const { data, problem, refresh } = useRead(
    "list_audit_sessions",
    { limit: sessionsPerPage, ...(before === null ? {} : { before }) },
    { on, keepLast: true },
  );
  // A link may lead to a session beyond the page.
  const named = useRead("list_audit_sessions", opened === null ? null : { session_id: opened }, { on });
  const sessions = data?.sessions;
  const isListed = sessions?.some(({ session_id }) => session_id === open) ?? false;
  const beyond = isListed || opened !== open ? [] : (named.data?.sessions ?? []);
  const isUnknown = open !== null && open === opened && !isListed && named.data?.sessions.length === 0;

  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="max-w-[72ch] text-muted-foreground">
        Decisions as agents recorded them. Each record is chained to the one before, and finalizing a session
        seals it with one root.
      </p>
      {problem && (
        <ProblemAlert
          title="Couldn't load audit sessions."
          problem={problem}
          isStale={sessions !== undefined}
          onRetry={refresh}
        />
      )}
      {isUnknown && <p className="text-muted-foreground">Audit session “{open}” not found in this mesh.</p>}
      {sessions === undefined ? (
        problem === undefined && <Rows />
      ) : sessions.length === 0 && before === null ? (
        <Empty>
          <EmptyTitle>No audit sessions yet</EmptyTitle>
          <EmptyDescription>
            Agents start one with audit_session_start, add records with thought_record, and seal it with
            merkle_finalize.
          </EmptyDescription>
        </Empty>
      ) : (
        <ul aria-label="Audit sessions, newest first" className="divide-y rounded-lg border">
          {[...beyond, ...sessions].map((session) => (
            <AuditSessionRow
              key={session.session_id}
              session={session}
              isOpen={session.session_id === open}
            />
          ))}
        </ul>
      )}
      {(before !== null || data?.next_cursor != null) && (
        <nav aria-label="Pages of audit sessions" className="flex gap-2">
          {before !== null && (
            <Button variant="outline" onClick={() => setQuery({ before: null })}>
              Newest
            </Button>
          )}
          {data?.next_cursor != null && (
            <Button variant="outline" onClick={() => setQuery({ before: String(data.next_cursor) })}>
              Older
            </Button>
          )}
        </nav>
      )}
    </div>
  );
}

function toNumber(text: string | null): number | null {
  return text !== null && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

function Rows() {
  return (
    <div role="status" aria-busy="true" aria-label="Loading audit sessions" className="space-y-2">
      {[0, 1, 2].map((row) => (
        <Skeleton key={row} className="h-14" />
      ))}
    </div>
  );
}
