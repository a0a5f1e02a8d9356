import {
  findJob,
  findLastProposal,
  type JobRow,
  type ProposalRow,
  type Queryable,
  seriesOf,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { JobPrincipal } from "../../identity/principal.js";

/** What says where a job begins. */
type Beginning = Pick<JobRow, "meshId" | "kind" | "topicId" | "sessionId" | "createdAt">;

/**
 * The draft that a job starts from: the last one for its topic, or for its session's Conclusion, that was there when the job
 * was started, if changes of it were asked for; else null (AGENT-11).
 */
export async function findReturnedDraft(db: Queryable, job: Beginning): Promise<ProposalRow | null> {
  const { meshId, kind, topicId: topic, sessionId, createdAt } = job;
  if (kind === "perspective") return null;
  const last = await findLastProposal(db, seriesOf({ meshId, topic, sessionId }), { notAfter: createdAt });
  return last?.status === "returned" ? last : null;
}

/** @throws not_found to the agent of a job for any proposal but the draft that its job starts from */
export async function requireReturnedDraft(
  db: Queryable,
  { meshId, job }: JobPrincipal,
  number: number,
): Promise<void> {
  const row = await findJob(db, { meshId, number: job });
  const draft = row && (await findReturnedDraft(db, row));
  if (draft?.number === number) return;
  throw new MerkleError(
    "not_found",
    `Proposal ${number} is not the draft that job ${job} starts from${draft ? `: that is ${draft.number}` : ", which has none"}.`,
    { job_id: job, proposal_id: number },
  );
}
