import { decideProposalRow, type ProposalRow } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import { onlyACopy, sessionClosed } from "../../sessions/access/authorize.js";
import type { PersonContext } from "../../sessions/context.js";
import type { JobServices } from "../jobs/feature.js";
import { type JobSource, queueJob } from "../jobs/feature.js";
import { announceProposals } from "../topics/feature.js";
import { acceptProposal, toAccepted } from "./accept-proposal.js";
import {
  announceDecision,
  type DecisionResult,
  holdOpenProposal,
  type ProposalDecider,
  postRemark,
  refuseDecided,
  requireProposal,
} from "./open-proposal.js";
import { rebaseProposal } from "./rebase-proposal.js";
import { toFileParts } from "./source-text.js";

/**
 * Carries out a person's decision on a proposal (PROP-6). If several people decide at the same time, exactly
 * one succeeds.
 */
export async function decideProposal(
  ctx: PersonContext<JobServices>,
  input: ParsedInputOf<"decide_proposal">,
): Promise<OutputOf<"decide_proposal">> {
  const { orm, meshId } = ctx.services.database;
  const proposal = await requireProposal(orm, meshId, input.proposal_id);
  const nothing = { version: null, commit: null, job_id: null, next_proposal_id: null, conflicts: 0 };
  const decided = await decideOnce(ctx, proposal, input);
  return { proposal_id: proposal.number, ...nothing, ...decided };
}

/**
 * A decision checks the proposal before it writes. If the first attempt has succeeded, a retry would fail
 * that check, so it must return the first attempt's result instead (IDEM-1).
 */
const decideOnce: ProposalDecider = async (ctx, proposal, input) => {
  try {
    return await decide[input.decision](ctx, proposal, input);
  } catch (error) {
    if (!(error instanceof MerkleError)) throw error;
    // The stored result comes from the same operation: a decision, or the accepted conclusion.
    const earlier = (await ctx.readEarlierResult()) as
      | DecisionResult
      | OutputOf<"conclude_session">
      | undefined;
    if (!earlier) throw error;
    return "doc_version" in earlier ? toAccepted(earlier) : earlier;
  }
};

/** Rejects a proposal. The topic of the proposal stays open. */
const rejectProposal: ProposalDecider = async (ctx, proposal, { remark = null }) =>
  ctx.write(async (write) => {
    const { tx, afterCommit } = write;
    await holdOpenProposal(tx, proposal);
    await decideProposalRow(tx, proposal, { status: "rejected", decidedBy: ctx.person.name, remark });
    await postRemark(ctx, write, proposal, remark);
    await announceDecision(ctx, write, proposal, "reject");
    afterCommit(() => announceProposals(ctx.services, proposal.sessionId));
    return { status: "rejected" as const };
  });

/**
 * Requests another revision from an agent, with the changes to make (PROP-9). The decision and the new job
 * are stored together or not at all.
 *
 * @throws conflict if another job for the same source is queued or running
 */
const returnProposal: ProposalDecider = async (ctx, proposal, { remark = "" }) => {
  const { services, person } = ctx;
  refuseDecided(proposal);
  const source = await findSource(services, proposal);
  return ctx.write(async (write) => {
    await holdOpenProposal(write.tx, proposal);
    await decideProposalRow(write.tx, proposal, { status: "returned", decidedBy: person.name, remark });
    await postRemark(ctx, write, proposal, remark);
    await announceDecision(ctx, write, proposal, "return");
    const job = await queueJob(services, write, {
      kind: proposal.kind === "conclusion" ? "conclude" : "incorporate",
      ...source,
      topicId: proposal.topic,
      personaName: null,
      startedBy: person.name,
    });
    write.afterCommit(() => announceProposals(services, proposal.sessionId));
    return { status: "returned" as const, job_id: job.number };
  });
};

async function findSource(services: JobServices, proposal: ProposalRow): Promise<JobSource> {
  const file = toFileParts(proposal);
  if (file) return { file };
  const session = await requireSession(services, proposal.sessionId ?? "");
  if (proposal.kind === "rewrite" && session.isClosed) throw sessionClosed(session);
  if (session.isImported) throw onlyACopy(session);
  return { session };
}

// Defined after the functions above, because they are constants and must be initialised first.
const decide: {
  readonly [Each in ParsedInputOf<"decide_proposal">["decision"]]: ProposalDecider;
} = {
  accept: acceptProposal,
  reject: rejectProposal,
  return: returnProposal,
  rebase: rebaseProposal,
};
