import { cancelJobRow, findBestPerspective, findTopic, type SourceColumns, toSourceName } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { requireSession, type SessionIdentity } from "../../identity/session-directory.js";
import { sessionClosed } from "../../sessions/access/authorize.js";
import type { MeshContext } from "../../sessions/context.js";
import { readAuthor } from "../../sessions/roster/author.js";
import { requirePersona } from "../personas/feature.js";
import { readFileSource, readSource, toPerspective } from "../perspectives/feature.js";
import { requireSourcePath, toFile } from "../sources/feature.js";
import { topicClosed } from "../topics/feature.js";
import { type JobSource, queueJob } from "./queue-job.js";
import { requireJob, toJob } from "./read-jobs.js";
import type { JobServices } from "./services.js";

type StartJobInput = ParsedInputOf<"start_job">;

/**
 * Queues a job for a session's document (JOB-1) or for a file (SOURCE-11).
 *
 * @throws conflict if another job for the same source is queued or running; if several callers compete,
 *   exactly one succeeds
 */
export async function startJob(
  ctx: MeshContext<JobServices>,
  input: StartJobInput,
): Promise<OutputOf<"start_job">> {
  const { services } = ctx;
  const { kind, topic_id, persona_name, again } = input;
  const source = await findSource(services, input);
  const sourceColumns = "file" in source ? toFile(source.file) : toSourceColumns(source.session);
  const { name: startedBy } = await readAuthor(ctx, sourceColumns.sessionId ?? undefined);
  // A concluded session can still be read and concluded again, but its document cannot be rewritten.
  if (kind === "incorporate" && "session" in source && source.session.isClosed) {
    throw sessionClosed(source.session);
  }
  if (topic_id !== undefined) await requireOpenTopic(services, sourceColumns, topic_id);
  const personaName =
    persona_name === undefined
      ? null
      : await resolvePersonaName(services, { ...source, persona_name, again });
  return ctx.write(async (write) => {
    const newJob = { ...source, kind, topicId: topic_id ?? null, personaName, startedBy };
    const job = await queueJob(services, write, newJob);
    return { job_id: job.number, status: job.status };
  });
}

/**
 * Finds the source of a job. A file must exist when the job is requested, but its content is read when the
 * agent starts.
 */
async function findSource(
  services: JobServices,
  { session_id, source_path }: StartJobInput,
): Promise<JobSource> {
  if (source_path === undefined) return { session: await requireSession(services, session_id ?? "") };
  const file = requireSourcePath(source_path);
  await services.sources.open(file);
  return { file };
}

function toSourceColumns({ sessionId }: SessionIdentity): SourceColumns {
  return { sessionId, root: null, path: null };
}

/** Requires an open topic that belongs to the job's source. */
async function requireOpenTopic(
  { database }: Pick<JobServices, "database">,
  source: SourceColumns,
  number: number,
): Promise<void> {
  const topic = await findTopic(database.orm, { meshId: database.meshId, number });
  if (topic?.source !== toSourceName(source)) throw noSuchTopic(number);
  if (topic.status === "closed") throw topicClosed(number);
}

function noSuchTopic(number: number): MerkleError {
  return new MerkleError("not_found", `There is no topic ${number} in this source.`);
}

/**
 * Cancels a queued or running job. From then on, the job's agent cannot write anything, and its processes end
 * within seconds (JOB-6).
 *
 * @throws conflict if the job has already ended, even if it ended at the same time
 */
export async function cancelJob(
  ctx: MeshContext<JobServices>,
  { job_id }: ParsedInputOf<"cancel_job">,
): Promise<OutputOf<"cancel_job">> {
  const { services } = ctx;
  const { orm, meshId } = services.database;
  const job = await requireJob(orm, meshId, job_id);
  // A team may cancel jobs only in its own session.
  await readAuthor(ctx, job.sessionId ?? undefined);
  return ctx.write(async ({ tx, afterCommit }) => {
    const row = await cancelJobRow(tx, { meshId, number: job_id });
    if (!row) throw jobEnded(await requireJob(tx, meshId, job_id));
    afterCommit(() => {
      services.mesh.announce("jobs", row.sessionId);
      services.jobs.end({ meshId, number: job_id });
    });
    return toJob(services, row);
  });
}

function jobEnded({ number, status }: { readonly number: number; readonly status: string }): MerkleError {
  return new MerkleError(
    "conflict",
    `Job ${number} has already ended: it ${status === "timed_out" ? "timed out" : status === "cancelled" ? "was cancelled" : status}.`,
    {
      job_id: number,
      status,
    },
  );
}

/** A request for a persona's perspective on a source. */
type PerspectiveRequest = JobSource & {
  readonly persona_name: string;
  /** Whether to run the job even if the persona's perspective is still up to date. */
  readonly again: boolean;
};

/**
 * Returns the persona's name as the mesh stores it (PERSPECTIVE-1).
 *
 * @throws not_found if the persona does not exist; conflict if it is retired, or if its last perspective is
 *   still up to date
 */
async function resolvePersonaName(
  services: Pick<JobServices, "database" | "sources">,
  request: PerspectiveRequest,
): Promise<string> {
  const { persona_name, again } = request;
  const { orm, meshId } = services.database;
  const { name, nameKey, retired } = await requirePersona(orm, meshId, persona_name);
  if (retired) throw personaRetired(name);
  if (again) return name;
  const source =
    "file" in request
      ? await readFileSource(services, request.file)
      : await readSource(orm, meshId, request.session);
  const best = await findBestPerspective(orm, source, nameKey);
  if (best && !toPerspective(best, source).stale)
    throw alreadyRead(name, describeSource(request), best.number);
  return name;
}

function personaRetired(persona_name: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The persona ${JSON.stringify(persona_name)} is retired and cannot be used. A person can restore it (Settings → Agents → Personas).`,
    { persona_name },
  );
}

function describeSource(source: JobSource): string {
  return "file" in source
    ? `${source.file.root}/${source.file.path}`
    : `The document of "${source.session.slug}"`;
}

function alreadyRead(persona_name: string, what: string, perspective_id: number): MerkleError {
  return new MerkleError(
    "conflict",
    `${what} was already read as ${persona_name}, and neither has changed since: see perspective ${perspective_id}. To run it anyway, start the job with the option \`again\`.`,
    { perspective_id, persona_name, next: "get_perspective" },
  );
}
