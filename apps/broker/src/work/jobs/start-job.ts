import { findTopic, type SourceColumns, sourceName } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { requireSession, type SessionIdentity } from "../../identity/session-directory.js";
import { sessionClosed } from "../../sessions/access/authorize.js";
import type { MeshContext } from "../../sessions/context.js";
import { authorOf } from "../../sessions/roster/author.js";
import { requireSourcePath, toFile } from "../sources/require-source-path.js";
import { isClosed } from "../topics/close-topic.js";
import { type JobSource, queueJob } from "./queue-job.js";
import { refuseFreshReading } from "./refuse-fresh-reading.js";
import type { JobServices } from "./services.js";

type Input = ParsedInputOf<"start_job">;

/**
 * Queues a job for a session's document (JOB-1), or for a file (SOURCE-11).
 *
 * @throws conflict while another job is in flight for the same source: of any number who ask at once, one starts it
 */
export async function startJob(ctx: MeshContext<JobServices>, input: Input): Promise<OutputOf<"start_job">> {
  const { services } = ctx;
  const { kind, topic_id, persona_name, again } = input;
  const source = await findSource(services, input);
  const sourceColumns = "file" in source ? toFile(source.file) : ofDocument(source.session);
  const { name: startedBy } = await authorOf(ctx, sourceColumns.sessionId ?? undefined);
  // What is concluded can be read and concluded anew, and not rewritten.
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

/** A file must be there when it is asked for; what it says is read when its agent is started. */
async function findSource(services: JobServices, { session_id, source_path }: Input): Promise<JobSource> {
  if (source_path === undefined) return { session: await requireSession(services, session_id ?? "") };
  const file = requireSourcePath(source_path);
  await services.sources.open(file);
  return { file };
}

function ofDocument({ sessionId }: SessionIdentity): SourceColumns {
  return { sessionId, root: null, path: null };
}

/** A source is rewritten for a topic that is about it, and that nobody has closed. */
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
  return new MerkleError("not_found", `There is no topic ${number} here.`);
}
