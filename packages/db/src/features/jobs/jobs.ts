import { and, asc, count, desc, eq, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { jobs, meshes } from "../../core/schema.js";
import { type SourceColumns, toSourceName } from "../../core/source-columns.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import {
  jobColumns as columns,
  isClaimedBy,
  type JobClaim,
  type JobKey,
  type JobRow,
} from "../../identity/job-credentials.js";

export interface NewJob {
  readonly meshId: string;
  readonly kind: JobRow["kind"];
  readonly source: SourceColumns;
  readonly topicId: number | null;
  readonly personaName: string | null;
  readonly startedBy: string;
}

const inFlight = inArray(jobs.status, ["queued", "running"]);

/**
 * Queues a job under the mesh's next number. Returns null if a job for the same source is already queued or
 * running.
 */
export async function insertJob(tx: Transaction, { source, ...job }: NewJob): Promise<JobRow | null> {
  const [counter] = await tx
    .update(meshes)
    .set({ lastJob: sql`${meshes.lastJob} + 1` })
    .where(eq(meshes.meshId, job.meshId))
    .returning({ number: meshes.lastJob });
  if (!counter) throw new TypeError("The mesh of the job was not found.");
  const [row] = await tx
    .insert(jobs)
    .values({ ...job, ...source, number: counter.number, createdAt: sql`now()` })
    .onConflictDoNothing({ target: [jobs.meshId, jobs.source], where: sql`status IN ('queued', 'running')` })
    .returning(columns);
  return row ?? null;
}

/** Returns the queued or running job for a source, or null if there is none. */
export async function findJobInFlight(
  db: Queryable,
  meshId: string,
  source: SourceColumns,
): Promise<JobRow | null> {
  const [row] = await db
    .select(columns)
    .from(jobs)
    .where(and(eq(jobs.meshId, meshId), eq(jobs.source, toSourceName(source)), inFlight));
  return row ?? null;
}

/** Lists the latest jobs of a mesh, a session or a file, newest first. */
export async function listJobRows(
  db: Queryable,
  meshId: string,
  {
    sessionId,
    file,
    limit,
  }: {
    readonly sessionId: string | undefined;
    readonly file: SourceColumns | undefined;
    readonly limit: number;
  },
): Promise<JobRow[]> {
  return db
    .select(columns)
    .from(jobs)
    .where(
      and(
        eq(jobs.meshId, meshId),
        sessionId === undefined ? undefined : eq(jobs.sessionId, sessionId),
        file === undefined ? undefined : eq(jobs.source, toSourceName(file)),
      ),
    )
    .orderBy(desc(jobs.number))
    .limit(limit);
}

/** Counts the running and the queued jobs of a mesh. */
export async function countJobsInFlight(
  db: Queryable,
  meshId: string,
): Promise<{ running: number; queued: number }> {
  const rows = await db
    .select({ status: jobs.status, count: count() })
    .from(jobs)
    .where(and(eq(jobs.meshId, meshId), inFlight))
    .groupBy(jobs.status);
  const getCount = (status: JobRow["status"]) => rows.find((row) => row.status === status)?.count ?? 0;
  return { running: getCount("running"), queued: getCount("queued") };
}

export interface JobTerms {
  /** Id of the runner that claims the job. */
  readonly runner: string;
  /** Display name of the runner. Undefined if the runner is the broker itself. */
  readonly runnerName?: string;
  readonly leaseMs: number;
  readonly secretHash: Uint8Array;
  /**
   * Maximum number of jobs that this runner may run at the same time. Undefined if the runner enforces the
   * limit itself.
   */
  readonly runningMax?: number;
  /** Mesh from which to claim a job. Default: any mesh. */
  readonly meshId?: string;
  /** Kinds of jobs to claim. Default: all kinds. */
  readonly kinds?: readonly JobRow["kind"][];
}

/**
 * Number of the advisory lock that is held while claiming, so that two callers cannot both take the last free
 * slot.
 */
const claimLock = 7_423_010;

/**
 * Claims the job that has waited longest, from any mesh unless `terms` names one. Returns null if no job is
 * waiting or the runner already has its maximum. The claim's lease must be renewed before it expires.
 */
export async function claimJob(tx: Transaction, terms: JobTerms): Promise<JobRow | null> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(${claimLock})`);
  const [next] = await tx
    .select({ meshId: jobs.meshId, number: jobs.number })
    .from(jobs)
    .where(
      and(
        eq(jobs.status, "queued"),
        terms.meshId === undefined ? undefined : eq(jobs.meshId, terms.meshId),
        terms.kinds === undefined ? undefined : inArray(jobs.kind, [...terms.kinds]),
        terms.runningMax === undefined ? undefined : hasRoom(terms.runner, terms.runningMax),
      ),
    )
    .orderBy(asc(jobs.createdAt), asc(jobs.meshId), asc(jobs.number))
    .limit(1)
    .for("update", { skipLocked: true });
  if (!next) return null;
  const [row] = await tx
    .update(jobs)
    .set({
      status: "running",
      startedAt: sql`now()`,
      fence: sql`${jobs.fence} + 1`,
      runner: terms.runner,
      runnerName: terms.runnerName,
      leaseUntil: selectLeaseEnd(terms.leaseMs),
      secretHash: terms.secretHash,
    })
    .where(and(eq(jobs.meshId, next.meshId), eq(jobs.number, next.number)))
    .returning(columns);
  return row ?? null;
}

function hasRoom(runner: string, runningMax: number): SQL {
  return sql`(SELECT count(*) FROM ${jobs} WHERE status = 'running' AND runner = ${runner}) < ${runningMax}`;
}

/**
 * Returns a job to the queue if its claim did not reach the runner. The job has not run, and will be claimed
 * next.
 */
export async function returnJob(db: Queryable, claim: JobClaim): Promise<boolean> {
  const rows = await db
    .update(jobs)
    .set({
      status: "queued",
      startedAt: null,
      runner: null,
      runnerName: null,
      leaseUntil: null,
      secretHash: null,
    })
    .where(and(isClaimedBy(claim), isNull(jobs.resultKind)))
    .returning({ number: jobs.number });
  return rows.length === 1;
}

/**
 * Renews the lease of a claim. Returns false if the claim has ended, that is, if the job was cancelled or the
 * lease expired.
 */
export async function renewJob(db: Queryable, claim: JobClaim, leaseMs: number): Promise<boolean> {
  const rows = await db
    .update(jobs)
    .set({ leaseUntil: selectLeaseEnd(leaseMs) })
    .where(isClaimedBy(claim))
    .returning({ number: jobs.number });
  return rows.length === 1;
}

/** The outcome of a job. "succeeded" is accepted only if the job has produced a result. */
export type JobOutcome =
  | { readonly status: "succeeded"; readonly exitCode: number }
  | {
      readonly status: "failed" | "timed_out";
      readonly failure: NonNullable<JobRow["failure"]>;
      readonly exitCode: number | null;
      readonly errorTail: string;
    };

/** The error text to store if a job reports success but has produced no result. */
export interface NothingMade {
  readonly errorTail: string;
}

/** Ends a job if the claim is still valid. Returns null if the claim has ended. */
export async function endJob(
  db: Queryable,
  claim: JobClaim,
  outcome: JobOutcome,
  nothingMade: NothingMade,
): Promise<JobRow | null> {
  const hasResult = sql`${jobs.resultKind} IS NOT NULL`;
  const set =
    outcome.status === "succeeded"
      ? {
          status: sql`CASE WHEN ${hasResult} THEN 'succeeded' ELSE 'failed' END`,
          failure: sql`CASE WHEN ${hasResult} THEN NULL ELSE 'no_result' END`,
          errorTail: sql`CASE WHEN ${hasResult} THEN NULL ELSE ${nothingMade.errorTail} END`,
          exitCode: outcome.exitCode,
        }
      : outcome;
  const [row] = await db
    .update(jobs)
    .set({ ...set, ...endedColumns })
    .where(isClaimedBy(claim))
    .returning(columns);
  return row ?? null;
}

const endedColumns = { completedAt: sql`now()`, leaseUntil: null, secretHash: null };

/** Cancels a job. Returns null if the job is neither queued nor running. */
export async function cancelJobRow(tx: Transaction, { meshId, number }: JobKey): Promise<JobRow | null> {
  const [row] = await tx
    .update(jobs)
    .set({ status: "cancelled", ...endedColumns })
    .where(and(eq(jobs.meshId, meshId), eq(jobs.number, number), inFlight))
    .returning(columns);
  return row ?? null;
}

/**
 * Marks running jobs as failed if their lease has expired, or if their runner is known to have exited.
 * Returns these jobs.
 */
export async function failLostJobs(
  db: Queryable,
  {
    exitedRunner,
    failure,
    errorTail,
  }: {
    readonly exitedRunner?: string | undefined;
    readonly failure: "restarted" | "lost";
    readonly errorTail: string;
  },
): Promise<JobRow[]> {
  const isLost = lt(jobs.leaseUntil, sql`now()`);
  return db
    .update(jobs)
    .set({ status: "failed", failure, errorTail, ...endedColumns })
    .where(
      and(
        eq(jobs.status, "running"),
        exitedRunner === undefined ? isLost : or(isLost, eq(jobs.runner, exitedRunner)),
      ),
    )
    .returning(columns);
}

function selectLeaseEnd(leaseMs: number): SQL {
  return sql`now() + ${leaseMs} * interval '1 millisecond'`;
}
