"use client";

import { useCallback, useEffect, useRef, useState } from "react";
import { useBroker } from "@/broker/use-broker";
import { usePerson } from "@/identity/use-person";
import { useSession } from "@/sessions/session-context";

/** How long a message must be visible in a focused window before it counts as read. */
const readAfterMs = 1_000;
/** If more messages than this are unread, none of them counts as read until the person has chosen where to continue. */
export const autoReadMax = 500;

export interface ReadTracker {
  /**
   * The sequence up to which the person had read when the feed was opened or the window last lost focus. Null if
   * unknown.
   */
  readonly readUpTo: number | null;
  /** True if too many messages are unread to continue at the first of them, and the person has not chosen yet. */
  readonly isFarBehind: boolean;
  /** Reports the last visible message. */
  readonly markSeen: (sequence: number) => void;
  /** Continues from the current position: from now on, visible messages count as read. */
  readonly resumeMarking: () => void;
  /** Marks everything as read. */
  readonly markAll: () => Promise<void>;
}

/**
 * Reports to the broker how far the person has read. A message counts as read once it has been visible in a focused
 * window for a second.
 */
export function useReading(): ReadTracker {
  const { session, at } = useSession();
  const { session_id, last_read, unread } = session;
  const { person } = usePerson();
  const broker = useBroker();
  const [readUpTo, setReadUpTo] = useState(person === null ? null : last_read);
  const [isEnabled, setEnabled] = useState((unread ?? 0) <= autoReadMax);
  const markedCursor = useRef(last_read ?? 0);
  const seenSequence = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const isMarking = person !== null && at === null && isEnabled;

  const markRead = useCallback(
    async (cursor: number) => {
      if (cursor <= markedCursor.current) return;
      markedCursor.current = cursor;
      // If the request fails, the next message that counts as read triggers another one.
      await broker.call("mark_read", { session_id, cursor }).catch(() => {
        markedCursor.current = 0;
      });
    },
    [broker, session_id],
  );

  const markSeen = useCallback(
    (sequence: number) => {
      seenSequence.current = sequence;
      if (!isMarking || sequence <= markedCursor.current || timer.current !== undefined || !isPageFocused())
        return;
      timer.current = setTimeout(() => {
        timer.current = undefined;
        if (!isPageFocused()) return;
        void markRead(Math.min(sequence, seenSequence.current));
        // Messages that appeared in the meantime must also be visible for a second.
        if (seenSequence.current > sequence) markSeen(seenSequence.current);
      }, readAfterMs);
    },
    [isMarking, markRead],
  );

  useEffect(() => {
    const resume = () => markSeen(seenSequence.current);
    // Messages that arrive while the window has no focus appear as new when the reader returns.
    const leave = () => isMarking && setReadUpTo(markedCursor.current);
    window.addEventListener("focus", resume);
    window.addEventListener("blur", leave);
    document.addEventListener("visibilitychange", resume);
    resume();
    return () => {
      window.removeEventListener("focus", resume);
      window.removeEventListener("blur", leave);
      document.removeEventListener("visibilitychange", resume);
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [markSeen, isMarking]);

  const markAll = useCallback(async () => {
    const { last_read: read } = await broker.call("mark_read", { session_id });
    markedCursor.current = read;
    setReadUpTo(read);
    setEnabled(true);
  }, [broker, session_id]);

  return {
    readUpTo: person === null || at !== null ? null : readUpTo,
    isFarBehind: person !== null && at === null && !isEnabled,
    markSeen,
    resumeMarking: useCallback(() => setEnabled(true), []),
    markAll,
  };
}

function isPageFocused(): boolean {
  return document.visibilityState === "visible" && document.hasFocus();
}
