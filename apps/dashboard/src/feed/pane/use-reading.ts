"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useBroker } from "@/broker/use-broker";
import { usePerson } from "@/identity/use-person";
import { useSession } from "@/sessions/session-context";

/** How long a message must be visible in a focused window before it counts as read. */
const readAfterMs = 1_000;
/** If more messages than this are unread, none of them counts as read until the person has chosen where to continue. */
export const readOnMax = 500;

export interface Reading {
  /**
   * The sequence up to which the person had read when the feed was opened or the window last lost focus. Null if
   * unknown.
   */
  readonly readUpTo: number | null;
  /** True if too many messages are unread to continue at the first of them, and the person has not chosen yet. */
  readonly isFarBehind: boolean;
  /** Reports the last visible message. */
  readonly seen: (sequence: number) => void;
  /** Continues from the current position: from now on, visible messages count as read. */
  readonly readOn: () => void;
  /** Marks everything as read. */
  readonly markAll: () => Promise<void>;
}

/**
 * Reports to the broker how far the person has read. A message counts as read once it has been visible in a focused
 * window for a second.
 */
export function useReading(): Reading {
  const { session, at } = useSession();
  const { session_id, last_read, unread } = session;
  const { person } = usePerson();
  const broker = useBroker();
  const [readUpTo, setReadUpTo] = useState(person === null ? null : last_read);
  const [chosen, setChosen] = useState((unread ?? 0) <= readOnMax);
  const noted = useRef(last_read ?? 0);
  const shown = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isNoting = person !== null && at === null && chosen;

  const note = useCallback(
    async (cursor: number) => {
      if (cursor <= noted.current) return;
      noted.current = cursor;
      // If the request fails, the next message that counts as read triggers another one.
      await broker.call("mark_read", { session_id, cursor }).catch(() => {
        noted.current = 0;
      });
    },
    [broker, session_id],
  );

  const seen = useCallback(
    (sequence: number) => {
      shown.current = sequence;
      if (!isNoting || sequence <= noted.current || timer.current !== undefined || !isLookedAt()) return;
      timer.current = setTimeout(() => {
        timer.current = undefined;
        if (!isLookedAt()) return;
        void note(Math.min(sequence, shown.current));
        // Messages that appeared in the meantime must also be visible for a second.
        if (shown.current > sequence) seen(shown.current);
      }, readAfterMs);
    },
    [isNoting, note],
  );

  useEffect(() => {
    const begin = () => seen(shown.current);
    // Messages that arrive while the window has no focus appear as new when the reader returns.
    const leave = () => isNoting && setReadUpTo(noted.current);
    window.addEventListener("focus", begin);
    window.addEventListener("blur", leave);
    document.addEventListener("visibilitychange", begin);
    begin();
    return () => {
      window.removeEventListener("focus", begin);
      window.removeEventListener("blur", leave);
      document.removeEventListener("visibilitychange", begin);
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [seen, isNoting]);

  const markAll = useCallback(async () => {
    const { last_read: read } = await broker.call("mark_read", { session_id });
    noted.current = read;
    setReadUpTo(read);
    setChosen(true);
  }, [broker, session_id]);

  return {
    readUpTo: person === null || at !== null ? null : readUpTo,
    isFarBehind: person !== null && at === null && !chosen,
    seen,
    readOn: useCallback(() => setChosen(true), []),
    markAll,
  };
}

function isLookedAt(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}
