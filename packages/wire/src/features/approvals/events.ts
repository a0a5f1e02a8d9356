import type { EventKinds } from "../../feed/event-kind.js";

/** Events about approvals that the broker posts in feeds. */
export type ApprovalEvent =
  /**
   * `hash` is the salted hash of the permission request. `by` is null if the request was answered in the
   * agent's own terminal.
   */
  {
    event: "approval_ended";
    approval: number;
    of: string;
    tool: string;
    hash: string;
    decision: "allowed" | "denied" | "left" | "withdrawn";
    by: string | null;
    at: string;
  };

export const events = {
  approval_ended: { changes: ["attention"], log: "session" },
} as const satisfies EventKinds<ApprovalEvent>;
