import type { EventKinds } from "../../feed/event-kind.js";
import type { TaskChange, TaskCheck, TaskLink } from "./values.js";

/** What the broker announces of tasks and claims in a feed. */
export type TaskEvent =
  /** A task was changed. Fields beside the title say how; each is told once, when it is written: from its events alone a task can be made again. */
  | {
      event: "task_changed";
      task: number;
      title: string;
      change: TaskChange;
      by: string;
      text?: string | undefined;
      assignee?: string | null | undefined;
      blocked_by?: readonly number[] | undefined;
      labels?: readonly string[] | undefined;
      links?: readonly TaskLink[] | undefined;
      check?: TaskCheck | null | undefined;
      /** The previous holder, where the task is taken from somebody. */
      holder?: string | undefined;
      fence?: number | undefined;
      reason?: string | undefined;
      result?: string | undefined;
      proof?: { readonly exit_code: number; readonly tail: string } | undefined;
      at: string;
    }
  | {
      event: "claim_changed";
      claim: number;
      scope: string;
      shared: boolean;
      change: "claimed" | "released" | "expired" | "handed_back";
      by: string;
      /** The previous holder, where somebody else ends the claim. */
      holder?: string | undefined;
      reason?: string | undefined;
      /** When it ends by itself, where it was claimed for a time. */
      expires_at?: string | undefined;
      at: string;
    };

export const events = {
  task_changed: {
    changes: ["sessions", "attention"],
    wakes: true,
    holdsText: true,
    foldable: true,
    log: "session",
  },
  claim_changed: {
    changes: ["sessions", "attention"],
    wakes: true,
    holdsText: true,
    foldable: true,
    log: "session",
  },
} as const satisfies EventKinds<TaskEvent>;
