import { setTimeout } from "node:timers/promises";
import type postgres from "postgres";
import type { ConnectionTarget } from "../core/connection.js";
import { isConnectionLost } from "../core/database-error.js";
import { withPool, withTransaction } from "../core/long-transaction.js";
import { BackupError } from "./backup-error.js";

export interface Snapshot {
  readonly sql: postgres.Sql;
  /** Cancels the statement that is currently running in the snapshot. */
  cancel(): Promise<void>;
}

/** Runs `work` on a consistent snapshot of the database, without a time limit. */
export async function withSnapshot<Result>(
  target: ConnectionTarget,
  work: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  // The second connection is opened only to cancel a statement on the first.
  return withPool(target, 2, (pool) =>
    withTransaction(pool, "ISOLATION LEVEL REPEATABLE READ, READ ONLY", async (sql) => {
      const [backend] = await sql`SELECT pg_backend_pid() AS pid`;
      const cancel = async () => {
        await pool`SELECT pg_cancel_backend(${Number(backend?.["pid"])})`;
      };
      return work({ sql, cancel });
    }),
  );
}

/**
 * Runs `work` in one transaction without a time limit.
 *
 * @throws BackupError `target_in_use` if a broker is connected, because that broker would continue with the
 * old epoch
 */
export async function withRestore<Result>(
  target: ConnectionTarget,
  work: (sql: postgres.Sql) => Promise<Result>,
): Promise<Result> {
  return withPool(target, 1, async (pool) => {
    await refuseRunningBroker(pool);
    return withTransaction(pool, "READ WRITE", async (sql) => {
      const result = await work(sql);
      await commit(sql);
      return result;
    });
  });
}

async function commit(sql: postgres.Sql): Promise<void> {
  try {
    await sql`COMMIT`;
  } catch (error) {
    if (!isConnectionLost(error)) throw error;
    throw new BackupError(
      "connection_failed",
      "The connection to the database was lost at the last step, so either everything was restored or nothing was. Start a broker on the database to check, or restore into a new database.",
      { cause: error },
    );
  }
}

/** How long the server may still list a connection that has been closed. */
const closedConnectionMsMax = 1_000;

async function refuseRunningBroker(pool: postgres.Sql): Promise<void> {
  const deadline = Date.now() + closedConnectionMsMax;
  while (await isBrokerConnected(pool)) {
    if (Date.now() > deadline) {
      throw new BackupError(
        "target_in_use",
        "A broker or another merkle command is connected to the database. Nothing was restored. Stop it, then try again.",
      );
    }
    await setTimeout(50);
  }
}

async function isBrokerConnected(pool: postgres.Sql): Promise<boolean> {
  const [row] = await pool`
    SELECT EXISTS (SELECT FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()
                     AND application_name = current_setting('application_name')) AS connected`;
  return row?.["connected"] === true;
}
