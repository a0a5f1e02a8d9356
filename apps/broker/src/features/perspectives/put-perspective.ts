import { findDocumentVersionHash, findJob, type JobRow, upsertPerspective } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { inputRefused } from "@merkle/wire/schemas";
import type { JobPrincipal } from "../../identity/principal.js";
import { recordResult } from "../../identity/record-job-result.js";
import type { AgentContext } from "../../sessions/context.js";
import { requirePersona } from "../personas/feature.js";
import type { SourceServices } from "../sources/feature.js";

type PutPerspectiveInput = ParsedInputOf<"put_perspective">;

/**
 * Stores the result of a perspective job. The perspective refers to the text and the persona that the agent
 * read, even if either has changed since (PERSPECTIVE-2).
 *
 * @throws forbidden if the job has ended
 */
export async function putPerspective(
  ctx: AgentContext<SourceServices>,
  input: PutPerspectiveInput,
): Promise<OutputOf<"put_perspective">> {
  const { services, principal } = ctx;
  const { mesh, database } = services;
  const { meshId } = database;
  const claim = { meshId, number: principal.job, fence: principal.fence };
  const job = await findJob(database.orm, claim);
  if (!job || job.personaName === null) throw jobEnded(principal);
  const { sessionId, root, path } = job;
  const persona = await requirePersona(database.orm, meshId, job.personaName);
  const source = await requireSourceHash(ctx, job, input);
  return ctx.write(async ({ tx, afterCommit }) => {
    const number = await upsertPerspective(tx, {
      meshId,
      sessionId,
      root,
      path,
      ...source,
      personaKey: persona.nameKey,
      personaHash: input.persona_sha,
      content: input.content,
      job: claim.number,
    });
    await recordResult(tx, principal, { kind: "perspective", id: number });
    afterCommit(() => mesh.announce("perspectives", sessionId));
    return { perspective_id: number };
  });
}

async function requireSourceHash(
  { services }: AgentContext<SourceServices>,
  { sessionId, path }: JobRow,
  { source_version, source_sha }: PutPerspectiveInput,
): Promise<{ readonly sourceVersion: number | null; readonly sourceHash: string }> {
  if (path !== null) {
    if (source_sha === undefined) throw wrongSource("source_sha", "is missing, but this job reads a file");
    return { sourceVersion: null, sourceHash: source_sha };
  }
  if (source_version === undefined || sessionId === null) {
    throw wrongSource("source_version", "is missing, but this job reads a session's document");
  }
  const sourceHash = await findDocumentVersionHash(services.database.orm, sessionId, source_version);
  if (sourceHash === null) {
    throw wrongSource("source_version", `the document has no readable version ${source_version}`);
  }
  return { sourceVersion: source_version, sourceHash };
}

function wrongSource(field: string, problem: string): MerkleError {
  return inputRefused([{ field, problem }]);
}

function jobEnded({ job }: JobPrincipal): MerkleError {
  return new MerkleError("forbidden", `Job ${job} has ended, so nothing was saved.`, {
    job_id: job,
  });
}
