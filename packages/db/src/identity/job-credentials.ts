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

/**
 * Identifies a runner's claim on a job. The fence increases with each claim, so a caller with an old fence is
 * no longer the one running the job.
 */
export interface JobClaim extends JobKey {
  readonly fence: number;
  /** Id of the runner. If set, the claim is valid only for this runner. */
  readonly runner?: string;
}

/** Condition that a job's credential is valid: the job is running and its lease has not expired. */
const isInForce = and(eq(jobs.status, "running"), sql`${jobs.leaseUntil} > now()`);

/** Returns the condition that a job is the claimed one and that the claim is still valid. */
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

/** Returns the running job whose credential has this hash, or null if there is none. */
export async function findJobBySecret(db: Queryable, secretHash: Uint8Array): Promise<JobRow | null> {
  const [row] = await db
    .select(jobColumns)
    .from(jobs)
    .where(and(eq(jobs.secretHash, secretHash), isInForce));
  return row ?? null;
}

/** Returns the running jobs whose credentials have these hashes, to detect text that quotes a credential. */
export async function findLiveJobs(db: Queryable, secretHashes: readonly Uint8Array[]): Promise<JobKey[]> {
  if (secretHashes.length === 0) return [];
  return db
    .select({ meshId: jobs.meshId, number: jobs.number })
    .from(jobs)
    .where(and(inArray(jobs.secretHash, [...secretHashes]), isInForce));
}

/**
 * Records a job's result, in the same transaction that creates the result. Returns false if the claim has
 * ended or the job already has a result.
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
