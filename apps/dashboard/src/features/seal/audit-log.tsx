"use client";

import type { Message } from "@merkle/wire";
import { useMemo } from "react";
import { toProblem } from "@/broker/problem";
import { ProblemAlert } from "@/components/problem-alert";
import { useQueryParam } from "@/core/address/use-query-param";
import { useFeedState, useFeedStore } from "@/feed/pane/use-feed-store";
import { useSession } from "@/sessions/session-context";
import { Button } from "@/ui/button";
import { Empty, EmptyDescription, EmptyTitle } from "@/ui/empty";
import { Select } from "@/ui/select";
import { type AuditKind, auditKindLabels, auditKinds, findAuditKind, parseAuditKind } from "./audit-kinds";
import { AuditRow } from "./audit-row";
import { LogSkeleton } from "./log-skeleton";
import { TeamSelect } from "./team-select";

/** Events and decisions. Other messages are in the feed. */
const filter = { types: ["decision", "system"], team: null, q: null, thread: null } as const;

/** The events of a session, newest first and live: joins, changes, holds, decisions, seals and removals. */
export function AuditLog() {
  const { session, at } = useSession();
  const [param, setParam] = useQueryParam("kind");
  const kind = parseAuditKind(param);
  const { store } = useFeedStore({ sessionId: session.session_id, filter, at }, () => ({
    at: "end",
    as: "kept",
  }));
  const { status, problem, window, older, newer } = useFeedState(store);
  const visibleMessages = useMemo(() => selectMessages(window.messages, kind), [window.messages, kind]);
  const stateChanges = window.messages.filter(({ event }) => event === "state_changed").length;

  return (
    <section aria-labelledby="audit-log" className="min-w-0">
      <header className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="audit-log" className="text-lg font-semibold">
          Audit log
        </h2>
        <span className="flex flex-wrap gap-2">
          <TeamSelect team={null} />
          <Select
            aria-label="Event type"
            className="w-52"
            value={kind ?? ""}
            onChange={(chosen) => setParam(chosen === "" ? null : chosen)}
            options={[
              ["", "Everything"],
              ...auditKinds.map((each) => [each, auditKindLabels[each]] as const),
            ]}
          />
        </span>
      </header>
      {status === "opening" && <LogSkeleton />}
      {status === "failed" && (
        <ProblemAlert
          title="Couldn't load the log."
          problem={toProblem(problem)}
          stillWorks="The record and its exports are not affected."
          onRetry={() => void store.open({ at: "end", as: "kept" })}
        />
      )}
      {newer.problem !== null && (
        <ProblemAlert
          title="Couldn't load newer events."
          problem={toProblem(newer.problem)}
          isStale
          onRetry={() => void store.open({ at: "end", as: "kept" })}
          className="mb-2"
        />
      )}
      {status === "ready" &&
        (visibleMessages.length === 0 ? (
          <Nothing kind={kind} isWhole={window.from <= 1} onAll={() => setParam(null)} />
        ) : (
          <ol aria-label="Audit log, newest first" className="divide-y rounded-lg border">
            {visibleMessages.map((message) => (
              <AuditRow key={message.id} message={message} />
            ))}
          </ol>
        ))}
      {status === "ready" && (
        <footer className="mt-2 flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted-foreground">
          {window.from > 1 ? (
            <Button
              variant="outline"
              size="sm"
              disabled={older.loading}
              onClick={() => void store.loadOlder()}
            >
              {older.loading ? "Loading…" : "Older"}
            </Button>
          ) : (
            visibleMessages.length > 0 && kind === null && <span>Start of log</span>
          )}
          {older.problem !== null && (
            <span className="text-danger">Couldn't load older events. Try again.</span>
          )}
          {stateChanges > 0 && kind === null && (
            <span className="tabular-nums">
              {stateChanges} state {stateChanges === 1 ? "change" : "changes"} not shown: see each key’s
              history.
            </span>
          )}
        </footer>
      )}
    </section>
  );
}

function selectMessages(messages: readonly Message[], kind: AuditKind | null): readonly Message[] {
  return messages
    .filter((message) => {
      const messageKind = findAuditKind(message);
      return messageKind !== null && (kind === null || messageKind === kind);
    })
    .reverse();
}

function Nothing({
  kind,
  isWhole: showsAll,
  onAll,
}: {
  readonly kind: AuditKind | null;
  readonly isWhole: boolean;
  readonly onAll: () => void;
}) {
  return (
    <Empty>
      <EmptyTitle>{kind === null ? "No events yet" : "No matching events"}</EmptyTitle>
      <EmptyDescription>
        {showsAll
          ? "Joins, changes, holds, decisions and seals appear here."
          : "None loaded so far. Older events may match."}
      </EmptyDescription>
      {kind !== null && (
        <Button variant="outline" size="sm" onClick={onAll}>
          Show everything
        </Button>
      )}
    </Empty>
  );
}
