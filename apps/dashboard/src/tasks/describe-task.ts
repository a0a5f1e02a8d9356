import type { Task, TaskState } from "@merkle/wire";

export const stateLabels: Readonly<Record<TaskState, string>> = {
  open: "Open",
  blocked: "Waiting",
  claimed: "Claimed",
  in_review: "In review",
  done: "Done",
  cancelled: "Cancelled",
};

/** Returns who has the task, or whom it is for; empty where it is for whoever takes it. */
export function withWhom({ holder, assignee }: Pick<Task, "holder" | "assignee">): string {
  return holder ?? (assignee === null ? "" : `for ${assignee}`);
}

export function waitsText({ waits_for }: Pick<Task, "waits_for">): string {
  return waits_for.length === 0 ? "" : `waits for ${waits_for.join(", ")}`;
}
