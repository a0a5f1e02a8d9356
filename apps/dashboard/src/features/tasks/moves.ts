import type { Task, TaskState } from "@merkle/wire";
import { shortenAddress } from "@merkle/wire/text";
import { isAssignedTo } from "./task-filter";

export const boardColumns = [
  "open",
  "blocked",
  "claimed",
  "in_review",
  "done",
] as const satisfies TaskState[];
export type BoardColumn = (typeof boardColumns)[number];

/** The person who moves a task. */
export interface Mover {
  /** The name of the person's team in the session. Null before their first write. */
  readonly name: string | null;
  readonly isGuest: boolean;
}

/** The operation that moves a task to another column, or the reason why no operation does. */
export type TaskMove =
  | { readonly operation: "claim_task" | "release_task" | "finish_task" }
  | { readonly refusal: string };

/** Returns how a task can move to a column. Null if it is there already. */
export function planMove(
  task: Pick<Task, "state" | "waits_for" | "assignee" | "mine">,
  to: BoardColumn,
  mover: Mover,
): TaskMove | null {
  const { state, waits_for, assignee, mine } = task;
  if (state === to) return null;
  if (state === "done" || state === "cancelled")
    return { refusal: "It is over. Add another task for the remaining work." };
  if (to === "blocked")
    return { refusal: "A task is blocked while it waits for others. Edit the task to choose them." };
  if (state === "blocked")
    return {
      refusal: `It waits for ${waits_for.map((each) => `task ${each}`).join(", ")}. Finish those first, or edit what blocks it.`,
    };
  if (to === "in_review")
    return { refusal: "A task comes into review when its holder finishes it without its proof." };
  if (to === "claimed") {
    if (state === "in_review") return { refusal: "Move it to Open. Its author can then claim it again." };
    if (assignee !== null && !isAssignedTo(task, mover.name))
      return { refusal: `Only ${shortenAddress(assignee)} can claim it. Edit the task to assign it to you.` };
    return { operation: "claim_task" };
  }
  if (mover.isGuest && !mine) return { refusal: "Guests can move only tasks that they hold." };
  return { operation: to === "open" ? "release_task" : "finish_task" };
}
