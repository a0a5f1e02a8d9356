import { decideProposalRow, type ProposalRow } from "@merkle/db";
import { requireSession } from "../../identity/session-directory.js";
import { onlyACopy, sessionClosed } from "../../sessions/access/authorize.js";
import { announceProposals } from "../announce-proposals.js";
import { type JobSource, queueJob } from "../jobs/queue-job.js";
import type { JobServices } from "../jobs/services.js";
import { announceDecided } from "./announce-decided.js";
import type { DecidedProposal } from "./decided.js";
import { holdOpenProposal, refuseDecided } from "./hold-open-proposal.js";
import { remarkInTopic } from "./remark-in-topic.js";
import { fileOf } from "./source-text.js";

/**
 * Asks an agent for another revision, with what is to be changed (PROP-9). The job is queued with that, or nothing is done.
 *
 * @throws conflict while another job is in flight for the same source
 */
export const returnProposal: DecidedProposal = async (ctx, proposal, { remark = "" }) => {
  const { services, person } = ctx;
  refuseDecided(proposal);
  const source = await findSource(services, proposal);
  return ctx.write(async (write) => {
    await holdOpenProposal(write.tx, proposal);
    await decideProposalRow(write.tx, proposal, { status: "returned", decidedBy: person.name, remark });
    await remarkInTopic(ctx, write, proposal, remark);
    await announceDecided(ctx, write, proposal, "return");
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
  const file = fileOf(proposal);
  if (file) return { file };
  const session = await requireSession(services, proposal.sessionId ?? "");
  if (proposal.kind === "rewrite" && session.closed) throw sessionClosed(session);
  if (session.imported) throw onlyACopy(session);
  return { session };
}
