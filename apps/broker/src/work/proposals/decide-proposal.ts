import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { PersonContext } from "../../sessions/context.js";
import type { JobServices } from "../jobs/services.js";
import { acceptProposal } from "./accept-proposal.js";
import type { DecidedProposal } from "./decided.js";
import { rebaseProposal } from "./rebase-proposal.js";
import { rejectProposal } from "./reject-proposal.js";
import { requireProposal } from "./require-proposal.js";
import { returnProposal } from "./return-proposal.js";

/** Does with a proposal what a person has decided (PROP-6); of any number who decide at once, one does. */
export async function decideProposal(
  ctx: PersonContext<JobServices>,
  input: ParsedInputOf<"decide_proposal">,
): Promise<OutputOf<"decide_proposal">> {
  const { orm, meshId } = ctx.services.database;
  const proposal = await requireProposal(orm, meshId, input.proposal_id);
  const nothing = { version: null, commit: null, job_id: null, next_proposal_id: null, conflicts: 0 };
  const decided = await decide[input.decision](ctx, proposal, input);
  return { proposal_id: proposal.number, ...nothing, ...decided };
}

const decide: {
  readonly [Each in ParsedInputOf<"decide_proposal">["decision"]]: DecidedProposal;
} = {
  accept: acceptProposal,
  reject: rejectProposal,
  return: returnProposal,
  rebase: rebaseProposal,
};
