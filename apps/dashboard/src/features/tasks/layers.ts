import type { Task } from "@merkle/wire";

export interface PlacedTask {
  readonly task: Task;
  /** `column`: length of the longest chain of blockers before the task. `row`: the task's position in that column. */
  readonly column: number;
  readonly row: number;
}

/**
 * Places each task to the right of all its blockers. Leaves out tasks without dependencies. A finished blocker may be missing
 * from the list.
 */
export function toLayers(tasks: readonly Task[]): PlacedTask[] {
  const byNumber = new Map(tasks.map((task) => [task.task, task]));
  const blockerNumbers = new Set(tasks.flatMap(({ blocked_by }) => blocked_by));
  const columns = new Map<number, number>();
  // Terminates because the broker rejects circular dependencies.
  const computeColumn = (number: number): number => {
    const cached = columns.get(number);
    if (cached !== undefined) return cached;
    const blockers = (byNumber.get(number)?.blocked_by ?? []).filter((each) => byNumber.has(each));
    const column = blockers.length === 0 ? 0 : 1 + Math.max(...blockers.map(computeColumn));
    columns.set(number, column);
    return column;
  };
  const rows: number[] = [];
  return tasks
    .filter(
      ({ task, blocked_by }) => blockerNumbers.has(task) || blocked_by.some((each) => byNumber.has(each)),
    )
    .map((task) => {
      const column = computeColumn(task.task);
      const row = rows[column] ?? 0;
      rows[column] = row + 1;
      return { task, column, row };
    });
}
