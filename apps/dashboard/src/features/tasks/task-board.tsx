"use client";

import type { Task, TaskState } from "@merkle/wire";
import { cn } from "@/core/utils";
import { stateLabels } from "./describe-task";
import { TaskCard } from "./task-card";
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
        const there = tasks.filter((task) => task.state === state);
        return (
          <section
            key={state}
            aria-labelledby={`tasks-${state}`}
            className="min-w-0 rounded-lg bg-surface p-2"
          >
            <h2 id={`tasks-${state}`} className="mb-2 px-1 font-medium">
              {stateLabels[state]}{" "}
              <span className="font-normal text-muted-foreground tabular-nums">{there.length}</span>
            </h2>
            <ul className="grid gap-2">
              {there.map((task) => (
                <li key={task.task}>
                  <TaskCard task={task} selected={task.task === selected} onSelect={onSelect} />
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
