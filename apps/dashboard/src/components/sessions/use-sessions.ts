"use client";

import type { Session } from "@merkle/wire";
import { useCallback, useState } from "react";
import { readFromBroker } from "@/lib/broker-api";
import { type Polled, usePolled } from "@/lib/use-polled";

export interface SessionList {
  readonly sessions: readonly Session[];
  /** There are more than these. */
  readonly more: boolean;
}

const pageSize = 100;

/** The sessions of the mesh, newest activity first, kept up to date. */
export function useSessions(): { state: Polled<SessionList>; refresh: () => void; showMore: () => void } {
  const [pages, setPages] = useState(1);
  const read = useCallback((signal: AbortSignal) => readSessions(pages, signal), [pages]);
  const showMore = useCallback(() => setPages((shown) => shown + 1), []);
  return { ...usePolled(read), showMore };
}

async function readSessions(pages: number, signal: AbortSignal): Promise<SessionList> {
  const sessions = new Map<string, Session>();
  let before: string | null = null;
  for (let page = 0; page < pages; page++) {
    const query: Record<string, string | number> = {
      limit: pageSize,
      ...(before === null ? {} : { before }),
    };
    const answer = await readFromBroker("/api/sessions", query, signal);
    // A session that became active between two pages is on both.
    for (const session of answer.sessions) sessions.set(session.session_id, session);
    before = answer.next_cursor;
    if (before === null) break;
  }
  return { sessions: [...sessions.values()], more: before !== null };
}
