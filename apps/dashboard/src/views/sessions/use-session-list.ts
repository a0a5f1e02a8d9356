"use client";

import type { InputOf, Session } from "@merkle/wire";
import type { Problem } from "@/broker/problem";
import { useRead } from "@/broker/use-read";
import { type SessionQuery, toListInput } from "./session-query";

export interface SessionListState {
  /** Undefined while loading. */
  readonly sessions: readonly Session[] | undefined;
  readonly problem: Problem | undefined;
  readonly counts: { readonly active: number; readonly closed: number } | undefined;
  /** Names of the teams in the listed sessions, for the filter. */
  readonly teams: readonly string[];
  /** The request for the next page. Undefined on the last page. */
  readonly next: InputOf<"list_sessions"> | undefined;
  refresh(): void;
}

export const pageSize = 50;
/** The broker's maximum for one list. A literal, because importing the limits would add 1 % to the scripts of the home page. */
const needingMax = 200;

/**
 * Returns the first page of the sessions that match a query. With the sort order `needs`, sessions that need this person are read
 * separately, so that they come first however old they are.
 */
export function useSessionList(query: SessionQuery, idsInNeed: ReadonlySet<string>): SessionListState {
  const input = toListInput(query);
  const needsFirst = query.sort === "needs" && !query.needs && idsInNeed.size > 0;
  const priorityRead = useRead(
    "list_sessions",
    needsFirst ? { ...input, needs: true, limit: needingMax } : null,
    reading,
  );
  const listRead = useRead("list_sessions", { ...input, limit: pageSize }, reading);
  const loaded = listRead.data && [
    ...(needsFirst ? (priorityRead.data?.sessions ?? []) : []),
    ...listRead.data.sessions,
  ];
  const sessions = loaded && [...new Map(loaded.map((session) => [session.session_id, session])).values()];
  const before = listRead.data?.next_cursor ?? null;
  return {
    sessions,
    problem: listRead.problem,
    counts: listRead.data?.counts,
    teams: [...new Set(sessions?.flatMap(({ present }) => present.map(({ team_name }) => team_name)))].sort(),
    next: before === null ? undefined : { ...input, limit: pageSize, before },
    refresh: listRead.refresh,
  };
}

/** The kinds of change that trigger another read of a session list. */
export const reading = { on: ["sessions", "attention", "person"], keepLast: true } as const;
