import type { EventKinds } from "../../feed/event-kind.js";
import type { TaskChange, TaskCheck, TaskLink } from "./values.js";

/** Events about tasks and claims that the broker posts in feeds. */
export type TaskEvent =
  /**
   * A change to a task. Contains the title and the changed fields only. The task can be reconstructed from
   * all of its events.
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
      files?: readonly string[] | undefined;
      /** The reviewer, if the task waits for one. */
      reviewer?: string | undefined;
      /** The previous holder, if the task was taken away from a peer. */
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
      /** When the claim expires. Omitted if it has no time limit. */
      expires_at?: string | undefined;
      at: string;
    };

export const events = {
  task_changed: {
    changes: ["sessions", "attention"],
    wakes: true,
    hasFollowUp: true,
    hasText: true,
    isFoldable: true,
    log: "session",
  },
  claim_changed: {
    changes: ["sessions", "attention"],
    wakes: true,
    hasFollowUp: true,
    hasText: true,
    isFoldable: true,
    log: "session",
  },
} as const satisfies EventKinds<TaskEvent>;
