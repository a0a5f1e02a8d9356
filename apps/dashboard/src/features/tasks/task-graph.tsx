"use client";

import { describeHolder, stateLabels } from "./describe-task";
import { type PlacedTask, toLayers } from "./layers";
import type { TaskListProps } from "./task-board";

/** Space below the last row for lines that pass under other tasks. */
const belowPx = 32;
const node = { width: 192, height: 64, gapX: 48, gapY: 12 };

/** The dependencies between tasks, from left to right. Each task also lists its blockers as text. */
export function TaskGraph({ tasks, selected, onSelect }: TaskListProps) {
  const placedTasks = toLayers(tasks);
  if (placedTasks.length === 0)
    return <p className="py-6 text-muted-foreground">No dependencies between tasks.</p>;
  const byNumber = new Map(placedTasks.map((each) => [each.task.task, each]));
  const width = Math.max(...placedTasks.map((each) => findLeft(each))) + node.width + 2;
  const height = Math.max(...placedTasks.map((each) => findTop(each))) + node.height + belowPx;
  const unplacedCount = tasks.length - placedTasks.length;
  return (
    <section aria-label="Dependencies" className="max-w-full overflow-x-auto rounded-lg border p-4 pb-3">
      <div className="relative" style={{ width, height }}>
        <svg aria-hidden width={width} height={height} className="absolute inset-0 text-muted-foreground">
          {placedTasks.flatMap((to) =>
            to.task.blocked_by.flatMap((number) => {
              const from = byNumber.get(number);
              return from
                ? [<path key={`${number} ${to.task.task}`} d={drawLine(from, to)} {...chooseStroke(from)} />]
                : [];
            }),
          )}
        </svg>
        {placedTasks.map((each) => (
          <button
            key={each.task.task}
            type="button"
            data-task={each.task.task}
            aria-pressed={each.task.task === selected}
            onClick={() => onSelect(each.task.task)}
            style={{ left: findLeft(each), top: findTop(each), width: node.width, height: node.height }}
            className="absolute rounded-md border bg-background px-2 text-left hover:bg-raised aria-pressed:border-primary aria-pressed:bg-raised"
          >
            <span className="line-clamp-2 leading-4.5">
              <span className="text-muted-foreground tabular-nums">{each.task.task}</span> {each.task.title}
            </span>
            <span className="block truncate text-sm text-muted-foreground">
              {[stateLabels[each.task.state], describeHolder(each.task)].filter(Boolean).join(", ")}
              {each.task.blocked_by.length > 0 && (
                <span className="sr-only">, blocked by {each.task.blocked_by.join(", ")}</span>
              )}
            </span>
          </button>
        ))}
      </div>
      {unplacedCount > 0 && (
        <p className="text-sm text-muted-foreground">
          {unplacedCount === 1 ? "1 other task has" : `${unplacedCount} other tasks have`} no dependencies.
        </p>
      )}
    </section>
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

/** A finished task no longer blocks others, so its lines are dashed. */
function chooseStroke({ task: { state } }: PlacedTask) {
  const isOver = state === "done" || state === "cancelled";
  return {
    fill: "none",
    stroke: "currentColor",
    strokeWidth: 1.5,
    ...(isOver && { strokeDasharray: "3 4" }),
  };
}
