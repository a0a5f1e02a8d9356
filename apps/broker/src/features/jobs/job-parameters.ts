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
  seriesOf,
} from "@merkle/db";
import { MerkleError, type SourcePathParts } from "@merkle/wire";
import type { JobPrincipal } from "../../identity/principal.js";
import { toPersonaKey } from "../personas/feature.js";
import type { SourceServices } from "../sources/feature.js";

/** Returns what an agent is told of its job: its session, and how far document and feed were when it was started (JOB-11). */
export async function toParameters(
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
      ...(await fileParameters(services, job, { root, path })),
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
    // A topic's agent reads in the topic what was asked for.
    ...(draft && kind === "conclude" && { "Changes asked for": draft.remark ?? "" }),
    "Document version": String(head?.documentVersion ?? 0),
    "Last message": String(head?.lastSequence ?? 0),
  };
}

/**
 * Returns what an agent is told of the file that it works on (SOURCE-11). It works from the text as it is now, which is
 * kept, since the file may change under it.
 */
async function fileParameters(
  { database, sources }: Pick<SourceServices, "database" | "sources">,
  { kind }: Pick<JobRow, "kind">,
  file: SourcePathParts,
): Promise<Readonly<Record<string, string>>> {
  const { text: content, hash } = await sources.open(file);
  await keepSourceText(database.orm, { meshId: database.meshId, ...file, hash, content });
  return {
    "Source path": `${file.root}/${file.path}`,
    [kind === "incorporate" ? "Base source SHA" : "Source SHA"]: hash,
    "Repo root": sources.folderOf(file.root) ?? "",
  };
}

/** The part of a job that says where it begins. */
type Beginning = Pick<JobRow, "meshId" | "kind" | "topicId" | "sessionId" | "createdAt">;

/**
 * The draft that a job starts from: the last one for its topic, or for its session's Conclusion, that was there when the job
 * was started, if changes of it were asked for; else null (AGENT-11).
 */
async function findReturnedDraft(db: Queryable, job: Beginning): Promise<ProposalRow | null> {
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
    `Proposal ${number} is not the draft of job ${job}${draft ? `, which is ${draft.number}` : ", which has none"}.`,
    { job_id: job, proposal_id: number },
  );
}
