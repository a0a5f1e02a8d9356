import type { EventKinds } from "../../feed/event-kind.js";

/** Events about approvals that the broker posts in feeds. */
export type ApprovalEvent =
  /**
   * `hash` is the salted hash of the permission request. `by` is null if the request was answered in the
   * agent's own terminal. `again` is the approval in which the person allowed this command for the agent's launch:
   * this one, if the person has just done so, or an earlier one, whose answer this is.
   */
  | {
      event: "approval_ended";
      approval: number;
      of: string;
      tool: string;
      hash: string;
      decision: "allowed" | "denied" | "left" | "withdrawn";
      by: string | null;
      at: string;
      again?: number;
    }
  /** The command of an approval is no longer allowed again. */
  | {
      event: "approval_revoked";
      approval: number;
      of: string;
      tool: string;
      hash: string;
      by: string;
      at: string;
    };

export const events = {
  approval_ended: { changes: ["attention"], log: "session" },
  approval_revoked: { changes: [], log: "session" },
} as const satisfies EventKinds<ApprovalEvent>;
