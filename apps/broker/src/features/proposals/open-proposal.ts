import {
  findProposal,
  insertTopicMessage,
  lockProposalSeries,
  type ProposalRow,
  type ProposalWithVersion,
  type Queryable,
  type Transaction,
  toSeries,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { PersonContext } from "../../sessions/context.js";
import type { JobServices } from "../jobs/feature.js";

/**
 * Locks a proposal until the transaction ends, so that no one else can decide on it, and returns its current
 * state.
 *
 * @throws conflict if the proposal is no longer open
 */
export async function holdOpenProposal(tx: Transaction, proposal: ProposalRow): Promise<ProposalWithVersion> {
  await lockProposalSeries(tx, toSeries(proposal));
  const row = await findProposal(tx, proposal);
  if (!row) throw new TypeError("The proposal was not found.");
  refuseDecided(row);
  return row;
}

/**
 * @throws conflict if the proposal is no longer open; the error contains its status and the newest version,
 * which an acceptance may have created
 */
export function refuseDecided(row: ProposalWithVersion): void {
  if (row.status === "open") return;
  const by = row.decidedBy === null ? "by a newer revision" : `by ${row.decidedBy}`;
  throw new MerkleError(
    "conflict",
    `Proposal ${row.number} was already ${row.status} ${by}, so nothing was done.`,
    {
      proposal_id: row.number,
      status: row.status,
      decided_by: row.decidedBy,
      ...(row.currentVersion !== null && { current_version: row.currentVersion }),
    },
  );
}

/** @throws not_found if the mesh has no proposal with this number */
export async function requireProposal(
  db: Queryable,
  meshId: string,
  number: number,
): Promise<ProposalWithVersion> {
  const row = await findProposal(db, { meshId, number });
  if (row) return row;
  throw new MerkleError("not_found", `There is no proposal ${number} in this mesh.`, {
    next: "list_proposals",
  });
}

/**
 * Posts a person's remark to the proposal's topic, where the next agent reads it. A proposed conclusion has
 * no topic.
 */
export async function postRemark(
  { services, person }: PersonContext<JobServices>,
  { tx, afterCommit }: Write,
  { meshId, topic, number, sessionId }: ProposalRow,
  remark: string | null,
): Promise<void> {
  if (topic === null || remark === null) return;
  await insertTopicMessage(
    tx,
    { meshId, number: topic },
    {
      author: person.name,
      authorHuman: true,
      teamId: null,
      personId: person.personId,
      text: remark,
      proposal: number,
    },
  );
  afterCommit(() => services.mesh.announce("topics", sessionId));
}

export type DecideProposalInput = ParsedInputOf<"decide_proposal">;
type DecideProposalOutput = OutputOf<"decide_proposal">;

/** The result of a decision. */
export type DecisionResult = Pick<DecideProposalOutput, "status"> & Partial<DecideProposalOutput>;

/** Carries out one kind of decision on a proposal and returns its result. */
export type ProposalDecider = (
  ctx: PersonContext<JobServices>,
  proposal: ProposalWithVersion,
  input: DecideProposalInput,
) => Promise<DecisionResult>;

/** Announces a decision in the proposal's session, if it has one (PROP-16). */
export async function announceDecision(
  { person }: Pick<PersonContext<JobServices>, "person">,
  write: Write,
  { sessionId, number }: Pick<ProposalRow, "sessionId" | "number">,
  decision: "reject" | "return" | "rebase",
): Promise<void> {
  if (sessionId === null) return;
  const details = { proposal_id: number, decision, by: person.name, at: new Date().toISOString() };
  await write.announce(
    sessionId,
    { event: "proposal_decided", ...details },
    { causedBy: null, afterClosing: true },
  );
}
