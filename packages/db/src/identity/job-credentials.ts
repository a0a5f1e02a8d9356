import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { jobs } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

const { secretHash: _hash, runner: _runner, ...jobColumns } = getTableColumns(jobs);

export { jobColumns };

export type JobRow = Omit<typeof jobs.$inferSelect, "secretHash" | "runner">;

/** Identifies a job by its number within its mesh. */
export interface JobKey {
  readonly meshId: string;
  readonly number: number;
}

/** A job's credential is valid while the job is running and its lease lasts. */
export const isInForce = and(eq(jobs.status, "running"), sql`${jobs.leaseUntil} > now()`);

/** Returns the running job whose credential has this hash, or null. */
export async function findJobBySecret(db: Queryable, secretHash: Uint8Array): Promise<JobRow | null> {
  const [row] = await db
    .select(jobColumns)
    .from(jobs)
    .where(and(eq(jobs.secretHash, secretHash), isInForce));
  return row ?? null;
}

/** Returns the running jobs whose credentials have these hashes, to detect a text that quotes one. */
export async function findLiveJobs(db: Queryable, secretHashes: readonly Uint8Array[]): Promise<JobKey[]> {
  if (secretHashes.length === 0) return [];
  return db
    .select({ meshId: jobs.meshId, number: jobs.number })
    .from(jobs)
    .where(and(inArray(jobs.secretHash, [...secretHashes]), isInForce));
}
