"use client";

import type { OutputOf } from "@merkle/wire";
import { ListTodo } from "lucide-react";
import { useMemo } from "react";
import { useRead } from "@/broker/use-read";
import { useSettled } from "@/core/use-settled";
import type { PaletteEntry, PaletteHitsProps } from "@/parts/feature";
import { PaletteGroup, PaletteItem } from "@/shell/palette/palette-group";
import { rankMatch } from "@/shell/palette/rank";

const entriesInput = { limit: 100 };
const hitsMax = 5;
const hitsReadMax = 50;

type FoundTask = OutputOf<"list_all_tasks">["tasks"][number];

/** Returns unfinished tasks of all open sessions. */
export function useEntries(): readonly PaletteEntry[] {
  const { data } = useRead("list_all_tasks", entriesInput);
  return useMemo(
    () =>
      (data?.tasks ?? []).map(
        (task): PaletteEntry => ({
          key: toKey(task),
          kind: "task",
          label: task.title,
          note: describePlace(task),
          keywords: task.labels,
          href: toHref(task),
        }),
      ),
    [data],
  );
}

/** Tasks that the broker finds beyond the entries, such as tasks with the words in their text. */
export function Hits({ query, onGo }: PaletteHitsProps) {
  const words = useSettled(query).trim();
  const entries = useRead("list_all_tasks", entriesInput).data;
  const { data } = useRead("list_all_tasks", words === "" ? null : { query: words, limit: hitsReadMax });
  const known = new Set(
    entries?.tasks.filter(({ title, labels }) => rankMatch(words, title, labels) > 0).map(toKey),
  );
  const hits = (data?.tasks ?? []).filter((task) => !known.has(toKey(task))).slice(0, hitsMax);
  return (
    <PaletteGroup heading="More tasks" isEmpty={hits.length === 0}>
      {hits.map((task) => (
        <PaletteItem
          key={toKey(task)}
          value={toKey(task)}
          Icon={ListTodo}
          note={describePlace(task)}
          onSelect={() => onGo(toHref(task))}
        >
          {task.title}
        </PaletteItem>
      ))}
    </PaletteGroup>
  );
}

function toKey({ session, task }: FoundTask): string {
  return `task ${session} ${task}`;
}

function describePlace({ task, session_title }: FoundTask): string {
  return `task ${task} of ${session_title}`;
}

function toHref({ session, task }: FoundTask): string {
  return `/sessions/${session}/tasks?task=${task}`;
}
