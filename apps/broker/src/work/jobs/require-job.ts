import { findJob, type JobRow, type Queryable } from "@merkle/db";
import { MerkleError } from "@merkle/wire";

/** @throws not_found */
export async function requireJob(db: Queryable, meshId: string, number: number): Promise<JobRow> {
  const row = await findJob(db, { meshId, number });
  if (row) return row;
  throw new MerkleError(
    "not_found",
    `There is no job ${number} in this mesh. list_jobs shows the last ones.`,
  );
}
