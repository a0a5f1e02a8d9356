import { and, asc, count, desc, eq, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { jobs, meshes } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import {
  jobColumns as columns,
  isInForce,
  type JobKey,
  type JobRow,
} from "../../identity/job-credentials.js";
import { type SourceColumns, sourceName } from "../topics/feature.js";

/** A job with the number that it was claimed under: who brings another one runs it no more. */
export interface JobClaim extends JobKey {
  readonly fence: number;
  /** The runner whose claim it must be, besides. */
  readonly runner?: string;
}

export interface NewJob {
  readonly meshId: string;
  readonly kind: JobRow["kind"];
  readonly source: SourceColumns;
  readonly topicId: number | null;
  readonly personaName: string | null;
  readonly startedBy: string;
}

const inFlight = inArray(jobs.status, ["queued", "running"]);

/** Queues a job under the next number of its mesh, or returns null while another one is in flight for the same source. */
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

/** The job that is in flight for a source, or null. */
export async function findJobInFlight(
  db: Queryable,
  meshId: string,
  source: SourceColumns,
): Promise<JobRow | null> {
  const [row] = await db
    .select(columns)
    .from(jobs)
    .where(and(eq(jobs.meshId, meshId), eq(jobs.source, sourceName(source)), inFlight));
  return row ?? null;
}

export async function findJob(db: Queryable, { meshId, number }: JobKey): Promise<JobRow | null> {
  const [row] = await db
    .select(columns)
    .from(jobs)
    .where(and(eq(jobs.meshId, meshId), eq(jobs.number, number)));
  return row ?? null;
}

/** The last jobs of a mesh, of one of its sessions or of a file, the newest first. */
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
        file === undefined ? undefined : eq(jobs.source, sourceName(file)),
      ),
    )
    .orderBy(desc(jobs.number))
    .limit(limit);
}

/** How many jobs of a mesh run, and how many wait. */
export async function countJobsInFlight(
  db: Queryable,
  meshId: string,
): Promise<{ running: number; queued: number }> {
  const rows = await db
    .select({ status: jobs.status, count: count() })
    .from(jobs)
    .where(and(eq(jobs.meshId, meshId), inFlight))
    .groupBy(jobs.status);
  const of = (status: JobRow["status"]) => rows.find((row) => row.status === status)?.count ?? 0;
  return { running: of("running"), queued: of("queued") };
}

export interface JobTerms {
  /** Names who runs it. */
  readonly runner: string;
  /** The runner's name for people, where it is not the broker itself. */
  readonly runnerName?: string;
  readonly leaseMs: number;
  readonly secretHash: Uint8Array;
  /** How many this runner may have at once; undefined for one that counts them itself. */
  readonly runningMax?: number;
  /** The mesh of the jobs; any unless told. */
  readonly meshId?: string;
  /** The kinds of the jobs; any unless told. */
  readonly kinds?: readonly JobRow["kind"][];
}

/** Taken by whoever claims a job, so that two never both find the last free place. */
const claimLock = 7_423_010;

/**
 * Claims the job that has waited longest, in whatever mesh, or returns null when there is none or enough run already. The
 * claim holds for so long and is then to be renewed.
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
      leaseUntil: endOfLease(terms.leaseMs),
      secretHash: terms.secretHash,
    })
    .where(and(eq(jobs.meshId, next.meshId), eq(jobs.number, next.number)))
    .returning(columns);
  return row ?? null;
}

function hasRoom(runner: string, runningMax: number): SQL {
  return sql`(SELECT count(*) FROM ${jobs} WHERE status = 'running' AND runner = ${runner}) < ${runningMax}`;
}

/** Gives a job back whose claim never reached who asked for it: nobody has run it, and it is the next again. */
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
    .where(and(holds(claim), isNull(jobs.resultKind)))
    .returning({ number: jobs.number });
  return rows.length === 1;
}

/** Renews a claim; false when it holds no more: the job was cancelled, or the lease has run out. */
export async function renewJob(db: Queryable, claim: JobClaim, leaseMs: number): Promise<boolean> {
  const rows = await db
    .update(jobs)
    .set({ leaseUntil: endOfLease(leaseMs) })
    .where(holds(claim))
    .returning({ number: jobs.number });
  return rows.length === 1;
}

/** How a job ended. That it succeeded is believed only of one that has made something. */
export type JobOutcome =
  | { readonly status: "succeeded"; readonly exitCode: number }
  | {
      readonly status: "failed" | "timed_out";
      readonly failure: NonNullable<JobRow["failure"]>;
      readonly exitCode: number | null;
      readonly errorTail: string;
    };

/** The reason why a job that succeeded made nothing. */
export interface NothingMade {
  readonly errorTail: string;
}

/** Ends a job that this claim still holds for; null when it does not, and the job has ended otherwise. */
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
    .set({ ...set, ...ended })
    .where(holds(claim))
    .returning(columns);
  return row ?? null;
}

const ended = { completedAt: sql`now()`, leaseUntil: null, secretHash: null };

/** Cancels a job that has not ended, queued or running; null when there is none such. */
export async function cancelJobRow(tx: Transaction, { meshId, number }: JobKey): Promise<JobRow | null> {
  const [row] = await tx
    .update(jobs)
    .set({ status: "cancelled", ...ended })
    .where(and(eq(jobs.meshId, meshId), eq(jobs.number, number), inFlight))
    .returning(columns);
  return row ?? null;
}

/** Fails running jobs whose lease has run out, and those of a runner that is known to be gone. Returns them. */
export async function failLostJobs(
  db: Queryable,
  {
    gone,
    failure,
    errorTail,
  }: {
    readonly gone?: string | undefined;
    readonly failure: "restarted" | "lost";
    readonly errorTail: string;
  },
): Promise<JobRow[]> {
  const isLost = lt(jobs.leaseUntil, sql`now()`);
  return db
    .update(jobs)
    .set({ status: "failed", failure, errorTail, ...ended })
    .where(and(eq(jobs.status, "running"), gone === undefined ? isLost : or(isLost, eq(jobs.runner, gone))))
    .returning(columns);
}

/** Notes what a job made, in the transaction that makes it; false when the claim does not hold, or it has made something. */
export async function recordJobResult(
  tx: Transaction,
  claim: JobClaim,
  result: { readonly kind: NonNullable<JobRow["resultKind"]>; readonly id: number },
): Promise<boolean> {
  const rows = await tx
    .update(jobs)
    .set({ resultKind: result.kind, resultId: result.id })
    .where(and(holds(claim), isNull(jobs.resultKind)))
    .returning({ number: jobs.number });
  return rows.length === 1;
}

function holds({ meshId, number, fence, runner }: JobClaim): SQL | undefined {
  const isTheirs = runner === undefined ? undefined : eq(jobs.runner, runner);
  return and(eq(jobs.meshId, meshId), eq(jobs.number, number), eq(jobs.fence, fence), isTheirs, isInForce);
}

function endOfLease(leaseMs: number): SQL {
  return sql`now() + ${leaseMs} * interval '1 millisecond'`;
}
