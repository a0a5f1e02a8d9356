import { and, eq, getTableColumns, inArray, sql } from "drizzle-orm";
import { jobs } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

const { secretHash: _hash, runner: _runner, ...jobColumns } = getTableColumns(jobs);

export { jobColumns };

export type JobRow = Omit<typeof jobs.$inferSelect, "secretHash" | "runner">;

/** A job by its number in its mesh. */
export interface JobKey {
  readonly meshId: string;
  readonly number: number;
}

/** A job's credential is in force while the job runs and its lease lasts. */
export const isInForce = and(eq(jobs.status, "running"), sql`${jobs.leaseUntil} > now()`);

/** Returns the running job whose credential has this hash, or null. */
export async function findJobBySecret(db: Queryable, secretHash: Uint8Array): Promise<JobRow | null> {
  const [row] = await db
    .select(jobColumns)
    .from(jobs)
    .where(and(eq(jobs.secretHash, secretHash), isInForce));
  return row ?? null;
}

/** Returns those of these hashes that are credentials of running jobs, to tell whether a text quotes one. */
export async function findLiveJobs(db: Queryable, secretHashes: readonly Uint8Array[]): Promise<JobKey[]> {
  if (secretHashes.length === 0) return [];
  return db
    .select({ meshId: jobs.meshId, number: jobs.number })
    .from(jobs)
    .where(and(inArray(jobs.secretHash, [...secretHashes]), isInForce));
}
