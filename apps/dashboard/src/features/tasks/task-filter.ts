import type { Task } from "@merkle/wire";

export const focuses = ["mine", "ready", "stuck"] as const;
export type TaskFocus = (typeof focuses)[number];

/** Conditions on tasks. Null or "" for no condition. */
export interface TaskFilter {
  readonly focus: TaskFocus | null;
  readonly label: string | null;
  /** The holder or assignee. */
  readonly assignee: string | null;
  readonly text: string;
}

export function hasConditions({ focus, label, assignee, text }: TaskFilter): boolean {
  return focus !== null || Boolean(label) || Boolean(assignee) || text.trim() !== "";
}

/** Returns the tasks that meet all conditions. `myName` is the name of the person's team in the session. */
export function filterTasks<Listed extends Task>(
  tasks: readonly Listed[],
  { focus, label, assignee, text }: TaskFilter,
  myName: string | null,
): readonly Listed[] {
  const stuck = focus === "stuck" ? findStuckTasks(tasks) : null;
  const words = text.trim().toLowerCase().split(/\s+/);
  return tasks.filter((task) => {
    if (focus === "mine" && !isMine(task, myName)) return false;
    if (focus === "ready" && task.state !== "open") return false;
    if (stuck && !stuck.has(task)) return false;
    if (label && !task.labels.includes(label)) return false;
    if (assignee && task.holder !== assignee && task.assignee !== assignee) return false;
    const content = `${task.task} ${task.title} ${task.text} ${task.labels.join(" ")}`.toLowerCase();
    return words.every((word) => content.includes(word));
  });
}

/** Returns whether the person holds the task, is its assignee or reviews it. */
function isMine({ mine, to_review, ...task }: Task, myName: string | null): boolean {
  return mine || to_review || isAssignedTo(task, myName);
}

/** Returns whether the task is assigned to the team with this name, or to a peer of it. */
export function isAssignedTo({ assignee }: Pick<Task, "assignee">, name: string | null): boolean {
  return name !== null && (assignee === name || assignee?.startsWith(`${name}/`) === true);
}

/**
 * Returns the tasks that make no progress: their holder went away, their review is unanswered, or they wait for such a task. The
 * tasks may belong to several sessions.
 */
export function findStuckTasks<Listed extends Task>(tasks: readonly Listed[]): ReadonlySet<Listed> {
  const stuck = new Set(tasks.filter((each) => each.handed_back_at !== null || each.unanswered));
  const toKey = ({ session_id }: Task, task: number) => `${session_id} ${task}`;
  const keys = new Set<string>();
  while (keys.size < stuck.size) {
    for (const each of stuck) keys.add(toKey(each, each.task));
    for (const each of tasks) if (each.waits_for.some((task) => keys.has(toKey(each, task)))) stuck.add(each);
  }
  return stuck;
}

/** Returns the labels of tasks in alphabetical order. */
export function listLabels(tasks: readonly Task[]): string[] {
  return [...new Set(tasks.flatMap(({ labels }) => labels))].sort((a, b) => a.localeCompare(b));
}

/** Returns the holders and assignees of tasks in alphabetical order. */
export function listAssignees(tasks: readonly Task[]): string[] {
  const names = tasks.flatMap(({ holder, assignee }) => [holder, assignee]);
  return [...new Set(names.filter((each) => each !== null))].sort((a, b) => a.localeCompare(b));
}
