import { cancelJobRow } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { MeshContext } from "../../sessions/context.js";
import { authorOf } from "../../sessions/roster/author.js";
import { toJob } from "./job-output.js";
import { requireJob } from "./require-job.js";
import type { JobServices } from "./services.js";

/**
 * Cancels a job, queued or running. From then on its agent can write nothing more; its processes end within seconds (JOB-6).
 *
 * @throws conflict for a job that has ended: of cancelling and ending, one comes first and stays
 */
export async function cancelJob(
  ctx: MeshContext<JobServices>,
  { job_id }: ParsedInputOf<"cancel_job">,
): Promise<OutputOf<"cancel_job">> {
  const { services } = ctx;
  const { orm, meshId } = services.database;
  const job = await requireJob(orm, meshId, job_id);
  // A team has a say in its own session alone.
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
    `Job ${number} has ended already: it ${status === "timed_out" ? "timed out" : status === "cancelled" ? "was cancelled" : status}.`,
    {
      job_id: number,
      status,
    },
  );
}
