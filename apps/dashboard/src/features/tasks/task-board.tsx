"use client";

import type { Task, TaskState } from "@merkle/wire";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { describeFacts, stateLabels } from "./describe-task";
import { TaskLine, taskLine } from "./task-line";

export interface TaskListProps {
  readonly tasks: readonly Task[];
  readonly selected: number | null;
  readonly onSelect: (task: number) => void;
}

const columns = ["open", "blocked", "claimed", "in_review", "done"] as const satisfies readonly TaskState[];

/** A board with one column per state. */
export function TaskBoard({ tasks, selected, onSelect }: TaskListProps) {
  return (
    <div className="grid gap-2 sm:grid-cols-[repeat(auto-fit,minmax(8.25rem,1fr))]">
      {columns.map((state) => {
        const columnTasks = tasks.filter((task) => task.state === state);
        return (
          <section
            key={state}
            aria-labelledby={`tasks-${state}`}
            className="min-w-0 rounded-lg bg-surface p-2"
          >
            <h2 id={`tasks-${state}`} className="mb-2 px-1 font-medium">
              {stateLabels[state]}{" "}
              <span className="font-normal text-muted-foreground tabular-nums">{columnTasks.length}</span>
            </h2>
            <ul className="grid gap-2">
              {columnTasks.map((task) => (
                <li key={task.task}>
                  <TaskCard task={task} isSelected={task.task === selected} onSelect={onSelect} />
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

/** The tasks in one list, each with its state. */
export function TaskRows({ tasks, selected, onSelect }: TaskListProps) {
  return (
    <ul className="@container divide-y overflow-hidden rounded-lg border">
      {tasks.map((task) => (
        <li key={task.task}>
          <button
            type="button"
            data-task={task.task}
            aria-pressed={task.task === selected}
            onClick={() => onSelect(task.task)}
            className={cn(taskLine, "aria-pressed:bg-raised")}
          >
            <TaskLine task={task} />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface TaskCardProps {
  readonly task: Task;
  readonly isSelected: boolean;
  readonly onSelect: (task: number) => void;
}

/** A button that opens a task. Shows its number, title, holder, age and blockers. */
function TaskCard({ task, isSelected, onSelect }: TaskCardProps) {
  const { task: number, title, claimed_at, state, handed_back_at } = task;
  const facts = describeFacts(task);
  return (
    <button
      type="button"
      data-task={number}
      aria-pressed={isSelected}
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
