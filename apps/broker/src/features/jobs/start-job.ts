import { cancelJobRow, findBestPerspective, findTopic, type SourceColumns, sourceName } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { requireSession, type SessionIdentity } from "../../identity/session-directory.js";
import { sessionClosed } from "../../sessions/access/authorize.js";
import type { MeshContext } from "../../sessions/context.js";
import { authorOf } from "../../sessions/roster/author.js";
import { requirePersona } from "../personas/feature.js";
import { readFileSource, readSource, toPerspective } from "../perspectives/feature.js";
import { requireSourcePath, toFile } from "../sources/feature.js";
import { isClosed } from "../topics/feature.js";
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
  const sourceColumns = "file" in source ? toFile(source.file) : ofDocument(source.session);
  const { name: startedBy } = await authorOf(ctx, sourceColumns.sessionId ?? undefined);
  // A concluded session can still be read and concluded again, but its document cannot be rewritten.
  if (kind === "incorporate" && "session" in source && source.session.closed) {
    throw sessionClosed(source.session);
  }
  if (topic_id !== undefined) await requireOpenTopic(services, sourceColumns, topic_id);
  const personaName =
    persona_name === undefined
      ? null
      : await refuseFreshReading(services, { ...source, persona_name, again });
  return ctx.write(async (write) => {
    const asked = { ...source, kind, topicId: topic_id ?? null, personaName, startedBy };
    const job = await queueJob(services, write, asked);
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

function ofDocument({ sessionId }: SessionIdentity): SourceColumns {
  return { sessionId, root: null, path: null };
}

/** Requires an open topic that belongs to the job's source. */
async function requireOpenTopic(
  { database }: Pick<JobServices, "database">,
  source: SourceColumns,
  number: number,
): Promise<void> {
  const topic = await findTopic(database.orm, { meshId: database.meshId, number });
  if (topic?.source !== sourceName(source)) throw noSuchTopic(number);
  if (topic.status === "closed") throw isClosed(number);
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
  await authorOf(ctx, job.sessionId ?? undefined);
  return ctx.write(async ({ tx, afterCommit }) => {
    const row = await cancelJobRow(tx, { meshId, number: job_id });
    if (!row) throw hasEnded(await requireJob(tx, meshId, job_id));
    afterCommit(() => {
      services.mesh.announce("jobs", row.sessionId);
      services.jobs.end({ meshId, number: job_id });
    });
    return toJob(services, row);
  });
}

function hasEnded({ number, status }: { readonly number: number; readonly status: string }): MerkleError {
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
type WantedReading = JobSource & {
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
async function refuseFreshReading(
  services: Pick<JobServices, "database" | "sources">,
  wanted: WantedReading,
): Promise<string> {
  const { persona_name, again } = wanted;
  const { orm, meshId } = services.database;
  const { name, nameKey, retired } = await requirePersona(orm, meshId, persona_name);
  if (retired) throw isRetired(name);
  if (again) return name;
  const source =
    "file" in wanted
      ? await readFileSource(services, wanted.file)
      : await readSource(orm, meshId, wanted.session);
  const best = await findBestPerspective(orm, source, nameKey);
  if (best && !toPerspective(best, source).stale) throw isFresh(name, nameOf(wanted), best.number);
  return name;
}

function isRetired(persona_name: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The persona ${JSON.stringify(persona_name)} is retired and cannot be used. A person can restore it (Settings → Advanced → Personas).`,
    { persona_name },
  );
}

function nameOf(source: JobSource): string {
  return "file" in source
    ? `${source.file.root}/${source.file.path}`
    : `The document of "${source.session.slug}"`;
}

function isFresh(persona_name: string, what: string, perspective_id: number): MerkleError {
  return new MerkleError(
    "conflict",
    `${what} was already read as ${persona_name}, and neither has changed since: see perspective ${perspective_id}. To run it anyway, start the job with the option \`again\`.`,
    { perspective_id, persona_name, next: "get_perspective" },
  );
}
