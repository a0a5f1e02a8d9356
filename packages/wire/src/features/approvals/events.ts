import type { EventKinds } from "../../feed/event-kind.js";

/** What the broker announces of approvals in a feed. */
export type ApprovalEvent =
  /** `hash` stands for what was asked about, with the ask's salt; `by` is null where the agent's own terminal was answered. */
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
