import type { EventKinds } from "../../feed/event-kind.js";

/** Events about proposals in a feed. */
export type ProposalEvent =
  /** Not posted for an accepted proposal, whose outcome is in `topic_closed` or `session_concluded`. */
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
