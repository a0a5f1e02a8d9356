import type postgres from "postgres";
import { type ConnectionTarget, connectPool, withLossCheck } from "./connection.js";

/**
 * Opens connections for long transactions. When `work` ends, the connections are closed, which also cancels
 * running statements.
 */
export async function withPool<Result>(
  target: ConnectionTarget,
  max: number,
  work: (pool: postgres.Sql) => Promise<Result>,
): Promise<Result> {
  let isLost = false;
  const pool = connectPool(target, max, {
    keepOpen: true,
    onClose() {
      isLost = true;
      // Closes the connections. Otherwise statements already sent would wait forever for their replies.
      setImmediate(() => void pool.end({ timeout: 0 }));
    },
  });
  try {
    return await work(withLossCheck(pool, () => isLost));
  } finally {
    await pool.end({ timeout: 0 });
  }
}

/**
 * Runs `work` in a transaction without a time limit. `work` must commit the transaction itself.
 *
 * When the pool closes, the server rolls back uncommitted work, so no ROLLBACK is sent. The driver's own
 * transactions send ROLLBACK even over a lost connection, which ends the process.
 */
export async function withTransaction<Result>(
  pool: postgres.Sql,
  mode: string,
  work: (sql: postgres.Sql) => Promise<Result>,
): Promise<Result> {
  // Opens a connection first. The driver can only reserve a connection that is already open, and would
  // otherwise wait forever.
  await pool`SELECT 1`;
  const sql = await pool.reserve();
  await sql.unsafe(`BEGIN ${mode}`);
  await prepare(sql);
  return work(sql);
}

/**
 * Prepares the transaction for reading large tables. Timeouts are off, because reading a large table takes
 * longer than a request is allowed to. The formats are set explicitly, so every server can read them
 * regardless of the settings of the user or database. A row security policy causes an error instead of hiding
 * rows.
 */
async function prepare(sql: postgres.Sql): Promise<void> {
  await sql`
    SELECT set_config(name, '0', true) FROM pg_settings
    WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;
  await sql`
    SELECT set_config('datestyle', 'ISO, YMD', true), set_config('intervalstyle', 'postgres', true),
           set_config('extra_float_digits', '3', true), set_config('row_security', 'off', true)`;
}
