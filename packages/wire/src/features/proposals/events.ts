import type { EventKinds } from "../../feed/event-kind.js";

/** What the broker announces of proposals in a feed. */
export type ProposalEvent =
  /** The outcome of an accepted one stands in `topic_closed` or `session_concluded`. */
  {
    event: "proposal_decided";
    proposal_id: number;
    decision: "reject" | "return" | "rebase";
    by: string;
    at: string;
  };

export const events = {
  proposal_decided: { changes: [], log: "session" },
} as const satisfies EventKinds<ProposalEvent>;
