import { sql } from "drizzle-orm";
import type postgres from "postgres";
import { databaseErrorCode, isConnectionLost, isOutOfResources } from "../core/database-error.js";
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

/** Tracks the results of recent writes, and makes a test write if there were none. */
export interface WriteHealth {
  /** Forwards a write whose success proves that the database is writable. */
  note<Result>(write: Promise<Result>): Promise<Result>;
  /**
   * Forwards work that may not have written anything and may wait for a row. Only its failures are recorded.
   */
  noteFailure<Result>(work: Promise<Result>): Promise<Result>;
  /** Returns the reason why nothing can be written durably at the moment, or null. */
  findProblem(): Promise<WriteProblem | null>;
}

/** How long a successful write counts before a test write is made. */
const succeededMsMax = 60_000;
/** How long a failure counts before the next attempt. */
const failedMsMax = 2_000;

type Ask = (question: (client: postgres.Sql) => Promise<unknown>) => Promise<unknown>;

export function watchWrites(ask: Ask): WriteHealth {
  let last: { readonly problem: WriteProblem | null; readonly at: number } | null = null;
  let probing: Promise<unknown> | null = null;

  function remember(problem: WriteProblem | null): void {
    last = { problem, at: performance.now() };
  }

  async function note<Result>(write: Promise<Result>): Promise<Result> {
    try {
      const result = await write;
      remember(null);
      return result;
    } catch (error) {
      const problem = toWriteProblem(error);
      // Reachability is tested on each call.
      if (problem !== null && problem !== "unreachable") remember(problem);
      throw error;
    }
  }

  async function noteFailure<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (isOutOfResources(error)) remember(toWriteProblem(error));
      throw error;
    }
  }

  async function findProblem(): Promise<WriteProblem | null> {
    try {
      await ask(requireDurableSettings);
      if (last === null || performance.now() - last.at > (last.problem ? failedMsMax : succeededMsMax)) {
        probing ??= note(ask(writeProbe)).finally(() => {
          probing = null;
        });
        await probing;
      }
      return last?.problem ?? null;
    } catch (error) {
      return toWriteProblem(error) ?? "unreachable";
    }
  }

  return { note, noteFailure, findProblem };
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
 * Tests a post's lock, a growing file and a commit to disk, and leaves nothing behind. A write into existing
 * free space, such as a row of our own tables, could succeed even on a full disk.
 */
async function writeProbe(client: postgres.Sql): Promise<void> {
  // Sent as one message, and therefore as one transaction.
  await client.unsafe(`
    SET LOCAL lock_timeout = '500ms';
    LOCK TABLE messages IN ROW EXCLUSIVE MODE;
    CREATE TEMP TABLE write_probe ON COMMIT DROP AS SELECT now() AS probed_at`);
}

/** Maps a SQLSTATE or errno. Returns null for errors that say nothing about other writes. */
function toWriteProblem(error: unknown): WriteProblem | null {
  if (error instanceof UnfitServer) return error.problem;
  switch (databaseErrorCode(error)) {
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

/** Measures the round trip of a minimal query in milliseconds, including the time to get a connection. */
export async function measureRoundTrip(db: Queryable): Promise<number> {
  const begun = performance.now();
  await db.execute(sql`SELECT 1`);
  return Math.round((performance.now() - begun) * 100) / 100;
}
