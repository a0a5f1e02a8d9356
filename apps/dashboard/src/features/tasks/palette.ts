"use client";

import { useMemo } from "react";
import { useRead } from "@/broker/use-read";
import type { PaletteEntry } from "@/parts/feature";

const tasksMax = 100;

/** Returns the unfinished tasks of all open sessions. */
export function useEntries(): readonly PaletteEntry[] {
  const { data } = useRead("list_all_tasks", { limit: tasksMax });
  return useMemo(
    () =>
      (data?.tasks ?? []).map(
        ({ task, title, session, session_title, labels }): PaletteEntry => ({
          key: `task ${session} ${task}`,
          kind: "task",
          label: title,
          note: `task ${task} of ${session_title}`,
          keywords: labels,
          href: `/sessions/${session}/tasks?task=${task}`,
        }),
      ),
    [data],
  );
}
