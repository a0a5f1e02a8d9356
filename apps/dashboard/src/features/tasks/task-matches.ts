import type { Task } from "@merkle/wire";

export type TaskChoice = Pick<Task, "task" | "title">;

/** Maximum number of tasks that a picker shows at a time. */
const shownMax = 50;

/**
 * Returns the tasks whose title contains every typed word, or whose number begins with the typed number. The task with exactly
 * that number comes first.
 */
export function matchTasks<Choice extends TaskChoice>(tasks: readonly Choice[], query: string): Choice[] {
  const text = query.trim().toLowerCase().replace(/^#/, "");
  const words = text.split(/\s+/);
  const matches = tasks.filter(
    ({ task, title }) =>
      (/^\d+$/.test(text) && String(task).startsWith(text)) ||
      words.every((word) => title.toLowerCase().includes(word)),
  );
  const isExact = ({ task }: Choice) => String(task) === text;
  return [...matches.filter(isExact), ...matches.filter((each) => !isExact(each))].slice(0, shownMax);
}
