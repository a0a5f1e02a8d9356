import { listJobRows } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import type { Context } from "../../sessions/context.js";
import { requireSourcePath, toFile } from "../sources/require-source-path.js";
import { toJob } from "./job-output.js";
import type { JobServices } from "./services.js";

/** Lists the last jobs, newest first (JOB-4). */
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
