import type { Memory } from "@merkle/wire";
import { useMemo, useState } from "react";
import type { Problem } from "@/broker/problem";
import { useRead } from "@/broker/use-read";
import { type MemoryListChoice, toMemoryRead } from "./memory-choice";

/** A memory, with highlighted matches if a search found it. */
export type ShownMemory = Memory & { readonly marked?: string };

export interface MemoriesRead {
  readonly memories: readonly ShownMemory[] | undefined;
  readonly nextCursor: string | null;
  readonly problem: Problem | undefined;
  readonly refresh: () => void;
}

const on = ["memory"] as const;

/** Returns the chosen memories, kept up to date. */
export function useMemories(choice: MemoryListChoice, session: string | null): MemoriesRead {
  const [today] = useState(() => new Date());
  const read = useMemo(() => toMemoryRead(choice, { session, today }), [choice, session, today]);
  const searchRead = useRead("recall", read.recall, { on, keepLast: true });
  const listRead = useRead("list_memory", read.list, {
    on,
    keepLast: true,
  });
  if (read.recall) {
    return {
      memories: searchRead.data?.memories,
      nextCursor: null,
      problem: searchRead.problem,
      refresh: searchRead.refresh,
    };
  }
  return {
    memories: listRead.data?.memories,
    nextCursor: listRead.data?.next_cursor ?? null,
    problem: listRead.problem,
    refresh: listRead.refresh,
  };
}
