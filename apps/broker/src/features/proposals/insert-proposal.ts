import {
  findJob,
  findTopic,
  insertProposalRow,
  insertTopicMessage,
  lockProposalSeries,
  type Queryable,
  type TopicKey,
  type TopicRow,
  toSeries,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { withLineEnd } from "@merkle/wire/text";
import type { JobPrincipal, Principal } from "../../identity/principal.js";
import { recordResult } from "../../identity/record-job-result.js";
import { requireSession } from "../../identity/session-directory.js";
import { onlyACopy, sessionClosed } from "../../sessions/access/authorize.js";
import type { ProposerContext } from "../../sessions/context.js";
import type { JobServices } from "../jobs/feature.js";
import { keepFileText } from "../sources/feature.js";
import {
  announceProposals,
  getTopicAuthor,
  requireTopic,
  type TopicAuthor,
  topicClosed,
} from "../topics/feature.js";
import { agentName } from "./agent-name.js";
import { countLines } from "./count-lines.js";
import { hunksTask } from "./hunks-task.js";
import { type ProposalSource, readBaseText, readCurrentText, toFileParts } from "./source-text.js";

type InsertProposalInput = ParsedInputOf<"insert_proposal">;

/** The source that a proposal is for, and its topic if there is one. */
interface ProposalSubject extends ProposalSource {
  readonly topic: number | null;
}

/** The proposer as shown in the topic. A job's agent is neither a team nor a person. */

const theAgent: TopicAuthor = { author: agentName, authorHuman: false, teamId: null, personId: null };

/**
 * Stores proposed text. Replaces the open proposal for the same topic, or for the same session's Conclusion
 * (PROP-1).
 *
 * @throws forbidden if a job's agent makes a proposal for anything other than the subject of its job
 */
export async function insertProposal(
  ctx: ProposerContext<JobServices>,
  input: InsertProposalInput,
): Promise<OutputOf<"insert_proposal">> {
  const { services, principal } = ctx;
  const { meshId } = services.database;
  const agent = principal?.kind === "job" ? principal : null;
  if (agent) await refuseOtherJobs(services, agent, input);
  const target = await findTarget(ctx, input);
  const proposer = agent ? theAgent : await findProposer(ctx, target);
  const base = { baseVersion: input.base_version ?? null, baseHash: input.base_sha ?? null };
  const { from, content, ...change } = await describeChange(services, target, {
    ...base,
    content: input.content,
  });
  const file = toFileParts(target);

  return ctx.write(async ({ tx, afterCommit }) => {
    const job = agent?.job ?? null;
    const proposedBy = agent ? null : proposer.author;
    const proposal = { ...target, ...base, ...change, meshId, note: input.note, proposedBy, job };
    await lockProposalSeries(tx, toSeries(proposal));
    if (target.topic !== null) await requireOpenTopic(tx, { meshId, number: target.topic }, principal);
    if (file && base.baseHash !== null) {
      await keepFileText(tx, services, file, { hash: base.baseHash, text: from });
    }
    const row = await insertProposalRow(tx, { ...proposal, content });
    if (target.topic !== null) {
      const text = input.note.trim() === "" ? `Revision ${row.revision} is proposed.` : input.note;
      const message = { ...proposer, text, job, proposal: row.number };
      await insertTopicMessage(tx, { meshId, number: target.topic }, message);
      afterCommit(() => services.mesh.announce("topics", target.sessionId));
    }
    // Must come after the write that locks the mesh's counter: queuing a job takes that lock first and then
    // reads the job in progress, so both use the same order.
    if (agent) await recordResult(tx, agent, { kind: "proposal", id: row.number });
    afterCommit(() => announceProposals(services, target.sessionId));
    return { proposal_id: row.number, revision: row.revision };
  });
}

/**
 * Refuses a proposal outside the agent's job. An agent may write only for the topic or session of its job,
 * even if it has read other topics or sessions.
 */
async function refuseOtherJobs(
  { database, sessions }: JobServices,
  { job, jobKind, sessionId, meshId }: JobPrincipal,
  { topic_id, session_id }: InsertProposalInput,
): Promise<void> {
  if (jobKind === "conclude" && session_id !== undefined) {
    if ((await sessions.find(session_id))?.sessionId === sessionId) return;
  }
  if (jobKind === "incorporate" && topic_id !== undefined) {
    if ((await findJob(database.orm, { meshId, number: job }))?.topicId === topic_id) return;
  }
  throw new MerkleError(
    "forbidden",
    `The agent of job ${job} can propose only what that ${jobKind} job is about.`,
    { job_id: job },
  );
}

async function findTarget(
  { services, principal }: ProposerContext<JobServices>,
  input: InsertProposalInput,
): Promise<ProposalSubject> {
  if (input.topic_id !== undefined) {
    const { orm, meshId } = services.database;
    const key = { meshId, number: input.topic_id };
    const { sessionId, root, path } = await requireOpenTopic(orm, key, principal);
    const session = sessionId === null ? null : await services.sessions.find(sessionId);
    if (session?.isClosed) throw sessionClosed(session);
    const field = path === null ? "base_version" : "base_sha";
    if (input[field] === undefined) throw missing(field);
    return { kind: "rewrite", sessionId, root, path, topic: input.topic_id };
  }
  if (input.base_version === undefined) throw missing("base_version");
  if (input.content.trim() === "") throw blank();
  const session = await requireSession(services, input.session_id ?? "");
  if (session.isImported) throw onlyACopy(session);
  const { sessionId } = session;
  return { kind: "conclusion", sessionId, root: null, path: null, topic: null };
}

/** Returns a topic that is open for proposals. */
async function requireOpenTopic(
  db: Queryable,
  key: TopicKey,
  principal: Principal | null,
): Promise<TopicRow> {
  const topic = requireTopic(await findTopic(db, key), key.number, principal);
  if (topic.status === "closed") throw topicClosed(key.number);
  return topic;
}

async function findProposer(
  ctx: ProposerContext<JobServices>,
  { sessionId }: ProposalSubject,
): Promise<TopicAuthor> {
  if (ctx.team === null && ctx.person === null) return theAgent;
  return getTopicAuthor(ctx, sessionId);
}

async function describeChange(
  services: JobServices,
  target: ProposalSubject,
  proposed: {
    readonly baseVersion: number | null;
    readonly baseHash: string | null;
    readonly content: string;
  },
) {
  const { version, sha } = await readCurrentText(services, target);
  const from = await readBaseText(services, target, proposed);
  if (from === null && sha !== null) throw noSuchText(sha);
  if (from === null || (proposed.baseVersion ?? 0) > (version ?? 0)) throw noSuchBase(proposed.baseVersion);
  const content = withLineEndsOf(from, proposed.content);
  const hunks = await services.workers.run(hunksTask, { from, to: content });
  if (hunks.length > 0) return { ...countLines(hunks), from, content };
  throw new MerkleError("bad_request", "The proposed text is the same as the current text.", {
    fields: [{ field: "content", problem: "changes nothing" }],
  });
}

/**
 * Restores carriage returns that the proposer's client may have dropped. Otherwise every line would differ
 * from the base (DOC-12).
 */
function withLineEndsOf(base: string, text: string): string {
  const usesCrlf = base.includes("\r\n") && !/\r(?!\n)|(?<!\r)\n/.test(base);
  return usesCrlf && !text.includes("\r") ? withLineEnd(text, "\r\n") : text;
}

function noSuchBase(version: number | null): MerkleError {
  return new MerkleError(
    "bad_request",
    `The document has no version ${version}, or its text was removed. Read the document and name the version that you worked from.`,
    { fields: [{ field: "base_version", problem: "no such version" }] },
  );
}

function noSuchText(current_sha: string): MerkleError {
  return new MerkleError(
    "bad_request",
    `No stored text of the file has that hash. Read the file again and use its current hash, ${current_sha}.`,
    { next: "read_source", current_sha, fields: [{ field: "base_sha", problem: "no such text" }] },
  );
}

function missing(field: "base_version" | "base_sha"): MerkleError {
  const what =
    field === "base_version" ? "a document, so it needs base_version" : "a file, so it needs base_sha";
  return new MerkleError("bad_request", `This proposal is for ${what}.`, {
    fields: [{ field, problem: "missing" }],
  });
}

function blank(): MerkleError {
  return new MerkleError("bad_request", "A conclusion must not be blank.", {
    fields: [{ field: "content", problem: "blank" }],
  });
}
