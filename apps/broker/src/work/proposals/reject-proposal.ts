import { decideProposalRow } from "@merkle/db";
import { announceProposals } from "../announce-proposals.js";
import { announceDecided } from "./announce-decided.js";
import type { DecidedProposal } from "./decided.js";
import { holdOpenProposal } from "./hold-open-proposal.js";
import { remarkInTopic } from "./remark-in-topic.js";

/** Rejects a proposal; its topic stays open, for another one or for nothing. */
export const rejectProposal: DecidedProposal = async (ctx, proposal, { remark = null }) =>
  ctx.write(async (write) => {
    const { tx, afterCommit } = write;
    await holdOpenProposal(tx, proposal);
    await decideProposalRow(tx, proposal, { status: "rejected", decidedBy: ctx.person.name, remark });
    await remarkInTopic(ctx, write, proposal, remark);
    await announceDecided(ctx, write, proposal, "reject");
    afterCommit(() => announceProposals(ctx.services, proposal.sessionId));
    return { status: "rejected" as const };
  });
