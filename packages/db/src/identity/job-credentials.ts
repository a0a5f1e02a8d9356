import { and, eq, getTableColumns, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { jobs } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

const { secretHash: _hash, runner: _runner, ...jobColumns } = getTableColumns(jobs);

export { jobColumns };

export type JobRow = Omit<typeof jobs.$inferSelect, "secretHash" | "runner">;

/** Identifies a job by its number within its mesh. */
export interface JobKey {
  readonly meshId: string;
  readonly number: number;
}

/** A job and the fence of its claim. A caller with a different fence is not running the job any longer. */
export interface JobClaim extends JobKey {
  readonly fence: number;
  /** The runner that must hold the claim, if given. */
  readonly runner?: string;
}

/** A job's credential is valid while the job is running and its lease lasts. */
const isInForce = and(eq(jobs.status, "running"), sql`${jobs.leaseUntil} > now()`);

/** Matches the job of a claim while the claim is valid. */
export function isClaimedBy({ meshId, number, fence, runner }: JobClaim): SQL | undefined {
  const isByRunner = runner === undefined ? undefined : eq(jobs.runner, runner);
  return and(eq(jobs.meshId, meshId), eq(jobs.number, number), eq(jobs.fence, fence), isByRunner, isInForce);
}

export async function findJob(db: Queryable, { meshId, number }: JobKey): Promise<JobRow | null> {
  const [row] = await db
    .select(jobColumns)
    .from(jobs)
    .where(and(eq(jobs.meshId, meshId), eq(jobs.number, number)));
  return row ?? null;
}

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

/**
 * Records a job's result in the transaction that creates the result. Returns false if the claim has ended, or
 * the job already has a result.
 */
export async function recordJobResult(
  tx: Transaction,
  claim: JobClaim,
  result: { readonly kind: NonNullable<JobRow["resultKind"]>; readonly id: number },
): Promise<boolean> {
  const rows = await tx
    .update(jobs)
    .set({ resultKind: result.kind, resultId: result.id })
    .where(and(isClaimedBy(claim), isNull(jobs.resultKind)))
    .returning({ number: jobs.number });
  return rows.length === 1;
}
