"use client";

import type { InputOf, Session } from "@merkle/wire";
import type { Problem } from "@/broker/problem";
import { useRead } from "@/broker/use-read";
import { type SessionQuery, toListInput } from "./session-query";

export interface SessionListState {
  /** Undefined until they are there. */
  readonly sessions: readonly Session[] | undefined;
  readonly problem: Problem | undefined;
  readonly counts: { readonly active: number; readonly closed: number } | undefined;
  /** Names of teams that are in those shown, to filter by. */
  readonly teams: readonly string[];
  /** The request for the next page; absent on the last. */
  readonly next: InputOf<"list_sessions"> | undefined;
  refresh(): void;
}

export const pageSize = 50;
/** As many as the broker lists at once. The first page has no other use for its limits, which would be 1 % of its scripts. */
const needingMax = 200;

/**
 * The first page of the sessions that fit a query. Where needs come first, what needs me is asked for apart, so that it
 * stands on top however long ago somebody spoke there.
 */
export function useSessionList(query: SessionQuery, needing: ReadonlySet<string>): SessionListState {
  const input = toListInput(query);
  const needsFirst = query.sort === "needs" && !query.needs && needing.size > 0;
  const first = useRead(
    "list_sessions",
    needsFirst ? { ...input, needs: true, limit: needingMax } : null,
    reading,
  );
  const rest = useRead("list_sessions", { ...input, limit: pageSize }, reading);
  const known = rest.data && [...(needsFirst ? (first.data?.sessions ?? []) : []), ...rest.data.sessions];
  const sessions = known && [...new Map(known.map((session) => [session.session_id, session])).values()];
  const before = rest.data?.next_cursor ?? null;
  return {
    sessions,
    problem: rest.problem,
    counts: rest.data?.counts,
    teams: [...new Set(sessions?.flatMap(({ present }) => present.map(({ team_name }) => team_name)))].sort(),
    next: before === null ? undefined : { ...input, limit: pageSize, before },
    refresh: rest.refresh,
  };
}

/** The changes after which a list of sessions is read again. */
export const reading = { on: ["sessions", "attention", "person"], keepLast: true } as const;
