import type { EventKinds } from "../../feed/event-kind.js";
import type { TaskChange, TaskCheck, TaskLink } from "./values.js";

/** Events about tasks and claims in a feed. */
export type TaskEvent =
  /**
   * A change of a task. Besides the title, only changed fields are included, so the task can be reconstructed
   * from its events.
   */
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
      /** The previous holder, if the task was taken from a peer. */
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
      /** The previous holder, if someone else ended the claim. */
      holder?: string | undefined;
      reason?: string | undefined;
      /** When the claim expires, if it was made for a limited time. */
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
