"use client";

import type { Task } from "@merkle/wire";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { factsOf } from "./describe-task";

export interface TaskCardProps {
  readonly task: Task;
  readonly selected: boolean;
  readonly onSelect: (task: number) => void;
}

/** A button that opens a task. Shows its number, title, holder, age and blockers. */
export function TaskCard({ task, selected, onSelect }: TaskCardProps) {
  const { task: number, title, claimed_at, state, handed_back_at } = task;
  const facts = factsOf(task);
  return (
    <button
      type="button"
      data-task={number}
      aria-pressed={selected}
      onClick={() => onSelect(number)}
      className="w-full rounded-md border bg-background p-2.5 text-left hover:bg-raised aria-pressed:border-primary aria-pressed:bg-raised pointer-coarse:min-h-11"
    >
      <span className="flex gap-2">
        <span className="text-muted-foreground tabular-nums">{number}</span>
        <span
          dir="auto"
          className={cn("min-w-0 flex-1 [overflow-wrap:anywhere]", state === "cancelled" && "line-through")}
        >
          {title}
        </span>
      </span>
      {(facts.length > 0 || handed_back_at !== null) && (
        <span className="mt-1 flex flex-wrap gap-x-2 text-sm text-muted-foreground">
          {handed_back_at !== null && <span className="text-warning">returned</span>}
          {facts.map((fact) => (
            <span key={fact} dir="auto" className="[overflow-wrap:anywhere]">
              {fact}
            </span>
          ))}
          {state === "claimed" && claimed_at !== null && <TimeText at={claimed_at} />}
        </span>
      )}
    </button>
  );
}
