import type { EventKinds } from "../../feed/event-kind.js";

/** Events about proposals that the broker posts in feeds. */
export type ProposalEvent =
  /** Not posted if a proposal is accepted. `topic_closed` or `session_concluded` reports that outcome. */
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
