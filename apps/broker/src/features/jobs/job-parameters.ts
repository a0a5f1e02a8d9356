import {
  findJob,
  findLastProposal,
  findPersona,
  findSession,
  type JobRow,
  keepSourceText,
  type ProposalRow,
  type Queryable,
  readFeedHeads,
  toSeries,
} from "@merkle/db";
import { MerkleError, type SourcePathParts } from "@merkle/wire";
import type { JobPrincipal } from "../../identity/principal.js";
import { toPersonaKey } from "../personas/feature.js";
import type { SourceServices } from "../sources/feature.js";

/**
 * Returns the facts that a job's agent gets, such as the job's session, the document's version and the feed's
 * last sequence when the job starts (JOB-11).
 */
export async function readParameters(
  services: Pick<SourceServices, "database" | "sources">,
  job: JobRow,
): Promise<Readonly<Record<string, string>>> {
  const { meshId, kind, sessionId, root, path, topicId, personaName } = job;
  const { orm } = services.database;
  const draft = await findReturnedDraft(orm, job);
  const returned = draft && { "Returned draft": String(draft.number) };
  if (root !== null && path !== null) {
    const persona = personaName === null ? null : await findPersona(orm, meshId, toPersonaKey(personaName));
    return {
      ...(topicId !== null && { "Topic ID": String(topicId) }),
      ...(personaName !== null && { "Persona name": personaName }),
      ...(persona && { "Persona SHA": persona.hash }),
      ...returned,
      ...(await readFileParameters(services, job, { root, path })),
    };
  }
  if (sessionId === null) throw new TypeError("The session of the job was not found.");
  const [session, [head], persona] = await Promise.all([
    findSession(orm, meshId, sessionId),
    readFeedHeads(orm, [sessionId]),
    personaName === null ? null : findPersona(orm, meshId, toPersonaKey(personaName)),
  ]);
  return {
    Session: session?.slug ?? sessionId,
    "Session ID": sessionId,
    ...(topicId !== null && { "Topic ID": String(topicId) }),
    ...(personaName !== null && { "Persona name": personaName }),
    ...(persona && { "Persona SHA": persona.hash }),
    ...returned,
    // In a topic, the agent finds the requested changes in the topic's messages.
    ...(draft && kind === "conclude" && { "Changes asked for": draft.remark ?? "" }),
    "Document version": String(head?.documentVersion ?? 0),
    "Last message": String(head?.lastSequence ?? 0),
  };
}

/**
 * Returns the facts about a file that the job's agent gets (SOURCE-11). Stores a copy of the current text
 * for the agent to work from, because the file may change during the run.
 */
async function readFileParameters(
  { database, sources }: Pick<SourceServices, "database" | "sources">,
  { kind }: Pick<JobRow, "kind">,
  file: SourcePathParts,
): Promise<Readonly<Record<string, string>>> {
  const { text: content, hash } = await sources.open(file);
  await keepSourceText(database.orm, { meshId: database.meshId, ...file, hash, content });
  return {
    "Source path": `${file.root}/${file.path}`,
    [kind === "incorporate" ? "Base source SHA" : "Source SHA"]: hash,
    "Repo root": sources.findFolder(file.root) ?? "",
  };
}

/** The fields of a job that determine which draft it starts from. */
type JobOrigin = Pick<JobRow, "meshId" | "kind" | "topicId" | "sessionId" | "createdAt">;

/**
 * Finds the draft that a job starts from: the latest proposal for its topic or for its session's Conclusion
 * when the job was created. Returns null unless changes to that proposal were requested (AGENT-11).
 */
async function findReturnedDraft(db: Queryable, job: JobOrigin): Promise<ProposalRow | null> {
  const { meshId, kind, topicId: topic, sessionId, createdAt } = job;
  if (kind === "perspective") return null;
  const last = await findLastProposal(db, toSeries({ meshId, topic, sessionId }), { notAfter: createdAt });
  return last?.status === "returned" ? last : null;
}

/** @throws not_found unless the proposal is the draft that the agent's job starts from */
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
    `Proposal ${number} is not the draft of job ${job}${draft ? `, which is ${draft.number}` : ", which has none"}.`,
    { job_id: job, proposal_id: number },
  );
}
