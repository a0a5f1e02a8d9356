import { countJobsInFlight, findJob, type JobRow, listJobRows, type Queryable } from "@merkle/db";
import { type Job, MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import { requireSourcePath, toFile } from "../sources/feature.js";
import { describeFailure } from "./outcome.js";
import type { JobServices } from "./services.js";

/** Returns a job. The agent of a job can read only its own job. */
export async function getJob(
  { services, principal }: Context<JobServices>,
  { job_id }: ParsedInputOf<"get_job">,
): Promise<OutputOf<"get_job">> {
  if (principal?.kind === "job" && principal.job !== job_id) throw notOwn(principal.job);
  const { orm, meshId } = services.database;
  return toJob(services, await requireJob(orm, meshId, job_id));
}

function notOwn(job_id: number): MerkleError {
  return new MerkleError("forbidden", `The agent of job ${job_id} can read only its own job.`, { job_id });
}

/** Lists the most recent jobs, newest first (JOB-4). */
export async function listJobs(
  { services }: Context<JobServices>,
  { session_id, source_path, limit }: ParsedInputOf<"list_jobs">,
): Promise<OutputOf<"list_jobs">> {
  const { orm, meshId } = services.database;
  const session = session_id === undefined ? undefined : await requireSession(services, session_id);
  const rows = await listJobRows(orm, meshId, {
    sessionId: session?.sessionId,
    file: source_path === undefined ? undefined : toFile(requireSourcePath(source_path)),
    limit,
  });
  return { jobs: await Promise.all(rows.map((row) => toJob(services, row))) };
}

/** Returns the runners of this mesh, and the numbers of waiting and running jobs in the mesh (DASH-276). */
export async function getRunner({ services }: Context<JobServices>): Promise<OutputOf<"get_runner">> {
  const { orm, meshId } = services.database;
  const [here, counts] = await Promise.all([services.jobs.describe(), countJobsInFlight(orm, meshId)]);
  return { here, elsewhere: services.jobs.terms.remoteRunners, ...counts };
}

/** Converts a stored job to its public form. */
export async function toJob({ sessions }: Pick<JobServices, "sessions">, row: JobRow): Promise<Job> {
  const session = row.sessionId === null ? null : await sessions.find(row.sessionId);
  return {
    job_id: row.number,
    kind: row.kind,
    status: row.status,
    session_id: row.sessionId,
    session: session?.slug ?? null,
    source_path: row.path === null ? null : `${row.root}/${row.path}`,
    topic_id: row.topicId,
    persona_name: row.personaName,
    started_by: row.startedBy,
    created_at: row.createdAt.toISOString(),
    started_at: row.startedAt?.toISOString() ?? null,
    completed_at: row.completedAt?.toISOString() ?? null,
    exit_code: row.exitCode,
    runner: row.runnerName,
    error_tail: row.errorTail,
    message: describeFailure(row),
    result:
      row.resultKind === null || row.resultId === null ? null : { kind: row.resultKind, id: row.resultId },
  };
}

/** @throws not_found if the mesh has no job with this number */
export async function requireJob(db: Queryable, meshId: string, number: number): Promise<JobRow> {
  const row = await findJob(db, { meshId, number });
  if (row) return row;
  throw new MerkleError("not_found", `There is no job ${number} in this mesh.`, { next: "list_jobs" });
}
