import { findJob, type JobRow, recordJobResult, type Transaction } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { JobPrincipal } from "./principal.js";

/**
 * Records the result of a job, in the transaction that creates the result. If this throws, the result is
 * rolled back.
 *
 * @throws conflict if the job already has a result; forbidden if the job has ended, or another agent has
 * claimed it
 */
export async function recordResult(
  tx: Transaction,
  { meshId, job, fence }: JobPrincipal,
  result: { readonly kind: NonNullable<JobRow["resultKind"]>; readonly id: number },
): Promise<void> {
  if (await recordJobResult(tx, { meshId, number: job, fence }, result)) return;
  const row = await findJob(tx, { meshId, number: job });
  if (row?.status === "running" && row.fence === fence && row.resultKind !== null) {
    throw new MerkleError(
      "conflict",
      `Job ${job} has already produced its ${row.resultKind}, and a job can produce only one result. Nothing was saved.`,
      { job_id: job, result: { kind: row.resultKind, id: row.resultId } },
    );
  }
  throw new MerkleError("forbidden", `Job ${job} has ended, so nothing was saved.`, { job_id: job });
}
