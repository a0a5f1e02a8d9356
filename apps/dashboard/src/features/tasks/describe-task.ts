import type { Task, TaskState } from "@merkle/wire";
import { shortenAddress } from "@merkle/wire/text";

export const stateLabels: Readonly<Record<TaskState, string>> = {
  open: "Open",
  blocked: "Blocked",
  claimed: "Claimed",
  in_review: "In review",
  done: "Done",
  cancelled: "Cancelled",
};

/** Returns the holder or assignee of a task. Empty if anyone can claim it. */
export function describeHolder({ holder, assignee }: Pick<Task, "holder" | "assignee">): string {
  if (holder !== null) return shortenAddress(holder);
  return assignee === null ? "" : `for ${shortenAddress(assignee)}`;
}

/** Returns the facts to show next to a task's title. */
export function describeFacts(task: Task): readonly string[] {
  const labels = task.labels.map((label) => `+${label}`);
  return [describeHolder(task), describeWaits(task), ...labels].filter((each) => each !== "");
}

function describeWaits({ waits_for }: Pick<Task, "waits_for">): string {
  return waits_for.length === 0 ? "" : `blocked by ${waits_for.join(", ")}`;
}
