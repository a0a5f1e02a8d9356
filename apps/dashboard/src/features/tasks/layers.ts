import type { Task } from "@merkle/wire";

export interface PlacedTask {
  readonly task: Task;
  /** How many tasks follow one another before it, and its place among those with as many. */
  readonly column: number;
  readonly row: number;
}

/**
 * Places tasks so that each stands right of all that it waits for; those that nothing waits for and that wait for nothing are
 * left out. What is waited for may not be shown, because it is over.
 */
export function toLayers(tasks: readonly Task[]): PlacedTask[] {
  const byNumber = new Map(tasks.map((task) => [task.task, task]));
  const waitedFor = new Set(tasks.flatMap(({ blocked_by }) => blocked_by));
  const columns = new Map<number, number>();
  // The broker lets nothing wait for itself by any way, so that this ends.
  const columnOf = (number: number): number => {
    const known = columns.get(number);
    if (known !== undefined) return known;
    const before = (byNumber.get(number)?.blocked_by ?? []).filter((each) => byNumber.has(each));
    const column = before.length === 0 ? 0 : 1 + Math.max(...before.map(columnOf));
    columns.set(number, column);
    return column;
  };
  const rows: number[] = [];
  return tasks
    .filter(({ task, blocked_by }) => waitedFor.has(task) || blocked_by.some((each) => byNumber.has(each)))
    .map((task) => {
      const column = columnOf(task.task);
      const row = rows[column] ?? 0;
      rows[column] = row + 1;
      return { task, column, row };
    });
}
