"use client";

import { X } from "lucide-react";
import { useRead } from "@/broker/use-read";
import { ProblemAlert } from "@/components/problem-alert";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { cursorBefore } from "./memory-choice";
import { type MemoryAction, MemoryRow } from "./memory-row";

export interface OneMemoryProps {
  readonly id: string;
  readonly onAction: (action: MemoryAction) => void;
  readonly onClose: () => void;
}

const on = ["memory"] as const;

/** Shows the memory that the URL names above all other memories, even if it was forgotten. */
export function OneMemory({ id, onAction, onClose }: OneMemoryProps) {
  const before = cursorBefore(id);
  const there = useRead("list_memory", before === null ? null : { before, limit: 1 }, { on });
  const gone = useRead("list_memory", before === null ? null : { before, limit: 1, forgotten: true }, { on });
  const memory = [...(there.data?.memories ?? []), ...(gone.data?.memories ?? [])].find(
    (each) => each.id === id,
  );
  const isKnown = before === null || (there.data !== undefined && gone.data !== undefined);
  const problem = there.problem ?? gone.problem;
  return (
    <section aria-label={`Memory ${id}`} className="rounded-lg border border-primary">
      <div className="flex items-center justify-between gap-2 border-b px-3 py-1">
        <h2 className="font-mono text-sm font-medium">{id}</h2>
        <Button variant="ghost" size="icon" aria-label={`Close ${id}`} title="Close" onClick={onClose}>
          <X aria-hidden />
        </Button>
      </div>
      {memory ? (
        <ul>
          <MemoryRow memory={memory} showsSession chosenTags={[]} onAction={onAction} />
        </ul>
      ) : problem ? (
        <ProblemAlert
          title={`Couldn't load ${id}.`}
          problem={problem}
          onRetry={there.refresh}
          className="m-3"
        />
      ) : isKnown ? (
        <p className="px-3 py-4 text-muted-foreground">Memory not found.</p>
      ) : (
        <Skeleton className="m-3 h-12" />
      )}
    </section>
  );
}
