"use client";

import { useEffect, useMemo } from "react";
import { useRead } from "@/broker/use-read";
import { knownSessions } from "@/sessions/known-title";
import { type PaletteEntry, toEntries } from "./palette-entries";

const tasksKept = 100;

/** What the palette finds without asking, as it was read last; it is read again with each opening. Null before that. */
export function usePaletteEntries(): readonly PaletteEntry[] | null {
  const { data: sessions, problem } = useRead("list_sessions", knownSessions);
  const { data: tasks } = useRead("list_all_tasks", { limit: tasksKept });
  return useMemo(
    () =>
      sessions === undefined && problem === undefined
        ? null
        : toEntries({ sessions: sessions?.sessions ?? [], tasks: tasks?.tasks ?? [] }),
    [sessions, problem, tasks],
  );
}

/** Reads it ahead of the first opening, and is not wanted after that. */
export function PaletteAhead({ onRead }: { readonly onRead: () => void }) {
  const isRead = usePaletteEntries() !== null;
  useEffect(() => {
    if (isRead) onRead();
  }, [isRead, onRead]);
  return null;
}
