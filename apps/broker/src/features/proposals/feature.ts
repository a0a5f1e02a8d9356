import { redactProposals } from "@merkle/db";
import type { Feature } from "../../feature.js";
import type { Services } from "../../transports/services.js";
import type { JobServices } from "../jobs/feature.js";
import { openProposals } from "./attention.js";
import { decideProposal } from "./decide-proposal.js";
import { insertProposal } from "./insert-proposal.js";
import { getProposal, listProposals } from "./read-proposals.js";
import { rejectDraft } from "./reject-draft.js";

/** Proposals for new versions of documents and files. */
export const proposalsFeature = {
  name: "proposals",
  needs: ["jobs", "sources", "topics"],
  handlers: {
    insert_proposal: insertProposal,
    list_proposals: listProposals,
    get_proposal: getProposal,
    decide_proposal: decideProposal,
  },
  onConclude: rejectDraft,
  attention: openProposals,
  onRemoveText: {
    forgetVersions: (tx, { sessionId }, range) => redactProposals(tx, sessionId, range),
  },
} satisfies Feature<JobServices & Services>;
