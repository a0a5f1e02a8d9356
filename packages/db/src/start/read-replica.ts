import { setTimeout as delay } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type postgres from "postgres";
import { type ConnectionTarget, connectionLost, describeTarget } from "../core/connection.js";
import {
  DatabaseError,
  findDatabaseErrorCode,
  isConnectionLost,
  isDataError,
  isFromDatabase,
  isSerializationFailure,
} from "../core/database-error.js";
import { type Lane, type Queryable, startLanes } from "../core/transactions.js";

/**
 * The replica's state. `used`: reads use the replica. `behind`: the replica lags. `down`: it fails or does
 * not reply in time. `foreign`: it is not a replica of this database.
 */
export type ReplicaState = "used" | "behind" | "down" | "foreign";

/**
 * Serves reads from a streaming replica if the replica has everything that the primary has acknowledged, and
 * otherwise from the primary.
 */
export interface ReadReplica {
  readonly state: ReplicaState;
  /** Number of reads that the replica and the primary have served. */
  readonly reads: { readonly replica: number; readonly primary: number };
  /**
   * Runs read-only work on the replica, or on the primary if the replica cannot be used or fails. The work
   * sees everything that any node acknowledged before the call (SCALE-4).
   */
  read<Result>(work: (db: Queryable) => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
}

export interface ReadReplicaOptions {
  readonly target: ConnectionTarget;
  /**
   * Called with the initial state and after each change, and with the error that caused the change, if any.
   */
  readonly onState?: (state: ReplicaState, error?: unknown) => void;
}

interface Primary {
  readonly sql: postgres.Sql;
  readonly orm: Queryable;
}

const readConnectionsMax = 10;
/** How often the replica is checked, even if there are no reads. */
const checkIntervalMs = 1_000;
/** How long a replica is left unused if it passes checks but fails reads. */
const unusedAfterFailureMs = 5_000;
/** Timeout of one check, including the connect. A read waits this long before it uses the primary. */
const checkMsMax = 500;
/**
 * How often and how long to wait for a replica to catch up. A replica usually catches up within milliseconds,
 * so a read waits only once. A periodic check waits longer. If the replica has not caught up by then, its
 * state becomes `behind`.
 */
const patience = {
  read: { attempts: 2, pauseMs: 5 },
  check: { attempts: 20, pauseMs: 50 },
};

/**
 * Checks a replica immediately, and from then on once per second. A replica that fails or is behind is used
 * again after it has recovered.
 *
 * @throws DatabaseError for a server that can never be a replica of this database, or that denies read access
 */
export async function startReadReplica(
  primary: Primary,
  { target, onState }: ReadReplicaOptions,
): Promise<ReadReplica> {
  const where = describeTarget(target);
  const own = await identifyServer(primary.sql);
  const readLanes = startLanes(target, readConnectionsMax, { plans: "custom" });
  // The checks use a separate connection, so that they never wait for reads.
  const checkLanes = startLanes(target, 1);
  const reads = { replica: 0, primary: 0 };
  const runningReads = new Set<() => void>();
  const stopping = new AbortController();
  let state: ReplicaState | null = null;
  let unusedUntil = 0;

  function enter(next: ReplicaState, error?: unknown): void {
    if (next === "down" || next === "foreign") for (const abandon of runningReads) abandon();
    if (next === state || stopping.signal.aborted) return;
    state = next;
    onState?.(next, error);
  }

  function enterFailed(error: unknown): void {
    enter(error instanceof DatabaseError ? "foreign" : "down", error);
  }

  async function check(): Promise<void> {
    // If the primary does not reply, other code reports the problem.
    const position = await readPosition(primary.sql).catch(() => null);
    if (!position) return;
    const isLevel = await checkLanes.lend((lane) => waitUntilLevel(lane, position, patience.check));
    enter(isLevel ? "used" : "behind");
  }

  async function keepChecking(): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      await delay(checkIntervalMs, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted && performance.now() >= unusedUntil) await check().catch(enterFailed);
    }
  }

  /** Returns true if the replica reaches a position of the primary within the given number of checks. */
  async function waitUntilLevel(
    lane: Lane,
    position: WalPosition,
    { attempts, pauseMs }: { readonly attempts: number; readonly pauseMs: number },
  ): Promise<boolean> {
    for (let attempt = 1; ; attempt += 1) {
      const server = await withReplicaTimeout(lane, readServerStatus(lane.db, position));
      requireReplica(server, own, where);
      if (server.isLevel) return true;
      if (attempt === attempts || stopping.signal.aborted) return false;
      await delay(pauseMs);
    }
  }

  /** Runs work on the replica and returns its result. Returns null if the primary must be used instead. */
  async function askReplica<Result>(
    work: (db: Queryable) => Promise<Result>,
  ): Promise<{ readonly result: Result } | null> {
    const position = await readPosition(primary.sql);
    if (state !== "used") return null;
    try {
      return await runAbandonable(async (lane) =>
        (await waitUntilLevel(lane, position, patience.read)) ? { result: await work(lane.db) } : null,
      );
    } catch (error) {
      if (!isFromDatabase(error)) throw error;
      // The read conflicted with replication, or the query would fail on any server. Neither means that the
      // replica is unusable.
      if (!isSerializationFailure(error) && !isDataError(error)) stopUsing(error);
      return null;
    }
  }

  /** Lends a connection to `work`. If the replica is found to be down, the work is rejected immediately. */
  function runAbandonable<Result>(work: (lane: Lane) => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let isAbandoned = false;
      let lent: Lane | null = null;
      const abandon = () => {
        isAbandoned = true;
        lent?.discard();
        reject(connectionLost());
      };
      runningReads.add(abandon);
      readLanes
        .lend(async (lane) => {
          if (isAbandoned) throw connectionLost();
          lent = lane;
          return work(lane);
        })
        .then(resolve, reject)
        .finally(() => runningReads.delete(abandon));
    });
  }

  function stopUsing(error: unknown): void {
    // The replica is already unused, for example because this work was abandoned, so its error contains
    // nothing new.
    if (state !== "used") return;
    if (!isConnectionLost(error)) unusedUntil = performance.now() + unusedAfterFailureMs;
    enterFailed(error);
  }

  async function end(): Promise<void> {
    stopping.abort();
    await Promise.all([readLanes.end(), checkLanes.end()]);
  }

  try {
    await check();
  } catch (error) {
    const refusal = toRefusal(error, where);
    if (refusal) {
      await end();
      throw refusal;
    }
    enterFailed(error);
  }
  const checking = keepChecking();
  return {
    get state() {
      return state ?? "down";
    },
    reads,
    async read(work) {
      const answer = state === "used" ? await askReplica(work) : null;
      reads[answer ? "replica" : "primary"] += 1;
      return answer ? answer.result : work(primary.orm);
    },
    async stop() {
      await end();
      await checking;
    },
  };
}

/** A position in the primary's write-ahead log, with its timeline. */
interface WalPosition {
  readonly lsn: string;
  readonly timeline: number;
}

/**
 * Returns the primary's current position. Everything acknowledged precedes it, because a commit is flushed
 * before it becomes visible.
 */
async function readPosition(client: postgres.Sql): Promise<WalPosition> {
  const [row] = await client`
    SELECT lsn::text, left(pg_walfile_name(lsn), 8) AS timeline FROM pg_current_wal_flush_lsn() lsn`;
  return { lsn: String(row?.["lsn"]), timeline: Number.parseInt(String(row?.["timeline"]), 16) };
}

/** Values that identify a database. A physical copy has the same values as its original. */
interface ServerIdentity {
  readonly system: string;
  readonly database: number;
}

async function identifyServer(client: postgres.Sql): Promise<ServerIdentity> {
  const [row] = await client`
    SELECT system_identifier::text AS system, d.oid::int8::float8 AS database
    FROM pg_control_system(), pg_database d WHERE d.datname = current_database()`;
  return { system: String(row?.["system"]), database: Number(row?.["database"]) };
}

interface ServerStatus extends ServerIdentity {
  readonly isStandby: boolean;
  readonly isLevel: boolean;
  readonly isReadable: boolean;
}

/**
 * Returns what a server reports about itself, and whether it has reached a position of the primary. A replica
 * counts as level only if it is on the same timeline. After a failover, a replica that still follows the old
 * primary may be further ahead on the old timeline, but lacks the new primary's writes.
 */
async function readServerStatus(db: Queryable, { lsn, timeline }: WalPosition): Promise<ServerStatus> {
  const [row] = await db.execute(sql`
    SELECT pg_is_in_recovery() AS standby, system_identifier::text AS system, d.oid::int8::float8 AS database,
           coalesce(pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn AND min_recovery_end_timeline = ${timeline}, false) AS level,
           coalesce(has_table_privilege(to_regclass('messages'), 'SELECT'), true) AS readable
    FROM pg_control_system(), pg_control_recovery(), pg_database d WHERE d.datname = current_database()`);
  return {
    isStandby: row?.["standby"] === true,
    system: String(row?.["system"]),
    database: Number(row?.["database"]),
    isLevel: row?.["level"] === true,
    isReadable: row?.["readable"] === true,
  };
}

/** @throws DatabaseError `no_replica` if the server is not a readable replica of this database */
function requireReplica(server: ServerStatus, own: ServerIdentity, where: string): void {
  const name = "DATABASE_READ_URL must point to a streaming replica of the DATABASE_URL server";
  const advice = "Correct it, or unset it to read from the primary.";
  if (server.system !== own.system) {
    throw new DatabaseError(
      "no_replica",
      `${name} (database system ${own.system}), but ${where} is system ${server.system}. ${advice}`,
    );
  }
  if (server.database !== own.database) {
    throw new DatabaseError(
      "no_replica",
      `${name} and to the same database, but ${where} is a different database. ${advice}`,
    );
  }
  if (!server.isStandby) {
    throw new DatabaseError(
      "no_replica",
      `${name}, but ${where} is not in recovery: it is the primary, or was promoted. ${advice}`,
    );
  }
  if (!server.isReadable) {
    throw new DatabaseError(
      "no_replica",
      `The user in DATABASE_READ_URL is not allowed to read the tables at ${where}. Grant it SELECT on them at the primary, or use their owner.`,
    );
  }
}

/**
 * Returns the error to throw for a problem that no retry can fix. Returns null if the replica may still
 * become available.
 */
function toRefusal(error: unknown, where: string): DatabaseError | null {
  if (error instanceof DatabaseError) return error;
  switch (findDatabaseErrorCode(error)) {
    case "28P01":
    case "28000":
    case "3D000":
    case "42501":
    case "ERR_INVALID_URL":
      return new DatabaseError(
        "refused",
        `The read replica at ${where} refused the connection: ${describeError(error)}. Correct the user, password or database name in DATABASE_READ_URL, or unset it to read from the primary.`,
        { cause: error },
      );
    default:
      return null;
  }
}

/** Limits the wait for a server that is frozen or that no network packet reaches. */
async function withReplicaTimeout<Answer>(lane: Lane, answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      lane.discard();
      reject(
        Object.assign(new Error(`The replica did not respond within ${checkMsMax} ms.`), {
          code: "ETIMEDOUT",
        }),
      );
    }, checkMsMax);
  });
  return Promise.race([answer, silence]).finally(() => clearTimeout(timer));
}

/**
 * Returns the message of the server's own error. A query error contains the whole statement, but has the
 * server's error as its cause.
 */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? describeError(error.cause) : error.message;
}
