"use client";

import { cn } from "@/core/utils";
import { findCriticalPath } from "./critical-path";
import { describeHolder, stateLabels } from "./describe-task";
import { type PlacedTask, toLayers } from "./layers";
import type { TaskListProps } from "./task-board";
import { TaskLink } from "./task-link";

/** Space below the last row for lines that pass under other tasks. */
const belowPx = 32;
const node = { width: 192, height: 64, gapX: 48, gapY: 12 };

/** The dependencies between unfinished tasks, with the critical path of the session. */
export function TaskGraph({ tasks, unfinished, selected, onSelect }: TaskListProps) {
  const path = findCriticalPath(unfinished);
  const placedTasks = toLayers(tasks);
  const unplacedCount = tasks.length - placedTasks.length;
  if (path.length === 0)
    return <p className="py-6 text-muted-foreground">No dependencies between unfinished tasks.</p>;
  return (
    <section aria-label="Dependencies" className="max-w-full overflow-x-auto rounded-lg border p-4 pb-3">
      <CriticalPath path={path} selected={selected} onSelect={onSelect} />
      {placedTasks.length > 0 && (
        <Drawing placedTasks={placedTasks} path={path} selected={selected} onSelect={onSelect} />
      )}
      {unplacedCount > 0 && (
        <p className="text-sm text-muted-foreground">
          {unplacedCount === 1 ? "1 other task has" : `${unplacedCount} other tasks have`} no dependencies.
        </p>
      )}
    </section>
  );
}

interface DrawingProps extends CriticalPathProps {
  readonly placedTasks: readonly PlacedTask[];
}

/** The tasks from left to right, with lines between them. Each task also lists its blockers as text. */
function Drawing({ placedTasks, path, selected, onSelect }: DrawingProps) {
  const byNumber = new Map(placedTasks.map((each) => [each.task.task, each]));
  const width = Math.max(...placedTasks.map((each) => findLeft(each))) + node.width + 2;
  const height = Math.max(...placedTasks.map((each) => findTop(each))) + node.height + belowPx;
  return (
    <div className="relative" style={{ width, height }}>
      <svg aria-hidden width={width} height={height} className="absolute inset-0 text-muted-foreground">
        {placedTasks.flatMap((to) =>
          to.task.blocked_by.flatMap((number) => {
            const from = byNumber.get(number);
            return from
              ? [
                  <path
                    key={`${number} ${to.task.task}`}
                    d={drawLine(from, to)}
                    fill="none"
                    stroke="currentColor"
                    {...(isStep(path, number, to.task.task)
                      ? { className: "text-link", strokeWidth: 3 }
                      : { strokeWidth: 1.5 })}
                  />,
                ]
              : [];
          }),
        )}
      </svg>
      {placedTasks.map((each) => (
        <TaskLink
          key={each.task.task}
          task={each.task.task}
          data-task={each.task.task}
          isSelected={each.task.task === selected}
          onSelect={onSelect}
          style={{ left: findLeft(each), top: findTop(each), width: node.width, height: node.height }}
          className={cn(
            "absolute grid content-center rounded-md border bg-background px-2 hover:bg-raised aria-[current]:border-primary aria-[current]:bg-raised",
            path.includes(each.task.task) && "border-2 border-link",
          )}
        >
          <span className="line-clamp-2 leading-4.5">
            <span className="text-muted-foreground tabular-nums">{each.task.task}</span> {each.task.title}
          </span>
          <span className="block truncate text-sm text-muted-foreground">
            {[stateLabels[each.task.state], describeHolder(each.task)].filter(Boolean).join(", ")}
            {each.task.waits_for.length > 0 && (
              <span className="sr-only">, blocked by {each.task.waits_for.join(", ")}</span>
            )}
          </span>
        </TaskLink>
      ))}
    </div>
  );
}

function findLeft({ column }: PlacedTask): number {
  return column * (node.width + node.gapX);
}

function findTop({ row }: PlacedTask): number {
  return row * (node.height + node.gapY);
}

function drawLine(from: PlacedTask, to: PlacedTask): string {
  const [x1, y1] = [findLeft(from) + node.width, findTop(from) + node.height / 2];
  const [x2, y2] = [findLeft(to), findTop(to) + node.height / 2];
  const bend = (x2 - x1) / 2;
  // A straight line would be hidden behind the tasks in between.
  if (from.row === to.row && to.column - from.column > 1) {
    const belowY = y1 + node.height / 2 + belowPx;
    return `M${x1} ${y1} C${x1 + node.gapX} ${belowY} ${x2 - node.gapX} ${belowY} ${x2} ${y2}`;
  }
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** Returns whether one task directly follows another on the path. */
function isStep(path: readonly number[], from: number, to: number): boolean {
  const index = path.indexOf(from);
  return index >= 0 && path[index + 1] === to;
}

interface CriticalPathProps extends Pick<TaskListProps, "selected" | "onSelect"> {
  readonly path: readonly number[];
}

/** The longest chain of tasks, as text. */
function CriticalPath({ path, selected, onSelect }: CriticalPathProps) {
  return (
    <div className="mb-4 grid gap-1">
      <h2 className="font-medium">Critical path: {path.length} tasks</h2>
      <ol aria-label="Critical path" className="flex flex-wrap items-center gap-x-1 gap-y-1">
        {path.map((number, index) => (
          <li key={number} className="flex items-center gap-1">
            {index > 0 && <span aria-hidden>→</span>}
            <TaskLink
              task={number}
              isSelected={number === selected}
              onSelect={onSelect}
              className="inline-flex min-h-6 min-w-6 items-center justify-center rounded-md text-link tabular-nums underline pointer-coarse:min-h-11 pointer-coarse:min-w-11"
            >
              {number}
            </TaskLink>
          </li>
        ))}
      </ol>
      <p className="text-sm text-muted-foreground">
        The longest chain of unfinished tasks that wait for each other. Tasks have no estimates, so each
        counts as one step.
      </p>
    </div>
  );
}
