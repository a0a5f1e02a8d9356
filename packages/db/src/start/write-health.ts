import { sql } from "drizzle-orm";
import type postgres from "postgres";
import { findDatabaseErrorCode, isConnectionLost, isOutOfResources } from "../core/database-error.js";
import type { Queryable } from "../core/transactions.js";

/** The reasons why the database cannot be written to. */
export type WriteProblem =
  | "disk"
  | "memory"
  | "connections"
  | "lock"
  | "read_only"
  | "settings"
  | "unreachable";

/** Keeps track of whether recent writes succeeded, and makes a test write if there were none. */
export interface WriteHealth {
  /**
   * Returns the given write, and records its result. Its success must prove that the database is writable.
   */
  track<Result>(write: Promise<Result>): Promise<Result>;
  /**
   * Returns the given work, and records only failures. The work may not have written anything, and may wait
   * for a row lock.
   */
  trackFailure<Result>(work: Promise<Result>): Promise<Result>;
  /** Returns the reason why the database currently cannot write durably, or null if it can. */
  findProblem(): Promise<WriteProblem | null>;
}

/** How long after a successful write to wait before making a test write. */
const succeededMsMax = 60_000;
/** How long after a failure to wait before trying again. */
const failedMsMax = 2_000;

type Ask = (question: (client: postgres.Sql) => Promise<unknown>) => Promise<unknown>;

export function watchWrites(ask: Ask): WriteHealth {
  let last: { readonly problem: WriteProblem | null; readonly at: number } | null = null;
  let probing: Promise<unknown> | null = null;

  function setLast(problem: WriteProblem | null): void {
    last = { problem, at: performance.now() };
  }

  async function track<Result>(write: Promise<Result>): Promise<Result> {
    try {
      const result = await write;
      setLast(null);
      return result;
    } catch (error) {
      const problem = toWriteProblem(error);
      // Whether the server is reachable is tested on each call, so that result is not stored.
      if (problem !== null && problem !== "unreachable") setLast(problem);
      throw error;
    }
  }

  async function trackFailure<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (isOutOfResources(error)) setLast(toWriteProblem(error));
      throw error;
    }
  }

  async function findProblem(): Promise<WriteProblem | null> {
    try {
      await ask(requireDurableSettings);
      if (last === null || performance.now() - last.at > (last.problem ? failedMsMax : succeededMsMax)) {
        probing ??= track(ask(writeProbe)).finally(() => {
          probing = null;
        });
        await probing;
      }
      return last?.problem ?? null;
    } catch (error) {
      return toWriteProblem(error) ?? "unreachable";
    }
  }

  return { track, trackFailure, findProblem };
}

async function requireDurableSettings(client: postgres.Sql): Promise<void> {
  const [row] = await client`
    SELECT current_setting('fsync') = 'on' AND current_setting('synchronous_commit') <> 'off' AS durable,
           pg_is_in_recovery() AS standby`;
  if (row?.["standby"] === true) throw new UnfitServer("read_only");
  if (row?.["durable"] !== true) throw new UnfitServer("settings");
}

class UnfitServer extends Error {
  readonly problem: WriteProblem;

  constructor(problem: WriteProblem) {
    super(`The database server cannot promise anything: ${problem}.`);
    this.problem = problem;
  }
}

/**
 * Makes a test write and leaves nothing behind. It needs the same locks as a post, a file that grows and a
 * commit to disk. A write into existing free space, such as a row in Merkle's own tables, could succeed even
 * on a full disk.
 */
async function writeProbe(client: postgres.Sql): Promise<void> {
  // Sent as one message, so that the statements form one transaction.
  await client.unsafe(`
    SET LOCAL lock_timeout = '500ms';
    LOCK TABLE messages IN ROW EXCLUSIVE MODE;
    CREATE TEMP TABLE write_probe ON COMMIT DROP AS SELECT now() AS probed_at`);
}

/**
 * Converts a SQLSTATE or errno to a write problem. Returns null for errors that say nothing about other
 * writes.
 */
function toWriteProblem(error: unknown): WriteProblem | null {
  if (error instanceof UnfitServer) return error.problem;
  switch (findDatabaseErrorCode(error)) {
    case "53100": // disk_full
    case "58030": // io_error
      return "disk";
    case "53200": // out_of_memory
      return "memory";
    case "53300": // too_many_connections
    case "EMFILE":
    case "ENFILE":
      return "connections";
    case "55P03": // lock_not_available
      return "lock";
    case "25006": // read_only_sql_transaction
      return "read_only";
    default:
      return isConnectionLost(error) ? "unreachable" : null;
  }
}

/** Returns the time that a minimal query takes, in milliseconds, including the time to get a connection. */
export async function measureRoundTrip(db: Queryable): Promise<number> {
  const begun = performance.now();
  await db.execute(sql`SELECT 1`);
  return Math.round((performance.now() - begun) * 100) / 100;
}
