import { findJobInFlight, insertJob, type JobRow, type NewJob } from "@merkle/db";
import { MerkleError, type SourcePathParts } from "@merkle/wire";
import type { Write } from "../../core/write.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import { toFile } from "../sources/feature.js";
import type { JobServices } from "./services.js";

/** The source of a job: a session's document, or a file. */
export type JobSource = { readonly session: SessionIdentity } | { readonly file: SourcePathParts };

/**
 * Queues a job for a source in the caller's transaction, and wakes the runners after the commit.
 *
 * @throws conflict if another job for the same source is queued or running; if several callers compete,
 *   exactly one succeeds
 */
export async function queueJob(
  services: JobServices,
  { tx, afterCommit }: Write,
  job: Omit<NewJob, "meshId" | "source"> & JobSource,
): Promise<JobRow> {
  const { meshId } = services.database;
  const { kind, topicId, personaName, startedBy } = job;
  const source = "file" in job ? toFile(job.file) : toDocument(job.session);
  const row = await insertJob(tx, { meshId, source, kind, topicId, personaName, startedBy });
  if (!row) throw inFlight((await findJobInFlight(tx, meshId, source))?.number, job);
  afterCommit(() => {
    services.mesh.announce("jobs", source.sessionId);
    // Once a job is queued again, its earlier failure no longer needs attention.
    services.mesh.announce("attention", source.sessionId);
    services.jobs.wake();
  });
  return row;
}

function toDocument({ sessionId }: SessionIdentity) {
  return { sessionId, root: null, path: null };
}

function inFlight(job_id: number | undefined, job: JobSource): MerkleError {
  const what = "file" in job ? `${job.file.root}/${job.file.path}` : `the document of "${job.session.slug}"`;
  return new MerkleError(
    "conflict",
    `A job is already running for ${what}${job_id === undefined ? "" : `: job ${job_id}`}. Wait until it has ended, or cancel it.`,
    { job_id, next: "get_job" },
  );
}
