import type postgres from "postgres";
import { type ConnectionTarget, connectPool, refuseOnceLost } from "./connection.js";

/** Connections for long transactions; what they are doing ends with `work`. */
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
      // Statements that were already sent would wait for their answers for ever.
      setImmediate(() => void pool.end({ timeout: 0 }));
    },
  });
  try {
    return await work(refuseOnceLost(pool, () => isLost));
  } finally {
    await pool.end({ timeout: 0 });
  }
}

/**
 * Runs `work` in a transaction that it commits itself, however long it takes.
 *
 * Uncommitted work ends with its connection, when the pool ends, and not by a ROLLBACK. The driver's own transactions send
 * their ROLLBACK even over a lost connection, and that ends the process.
 */
export async function inTransaction<Result>(
  pool: postgres.Sql,
  mode: string,
  work: (sql: postgres.Sql) => Promise<Result>,
): Promise<Result> {
  // The driver reserves only a connection that has been used: on a pool that has none open it would wait for ever.
  await pool`SELECT 1`;
  const sql = await pool.reserve();
  await sql.unsafe(`BEGIN ${mode}`);
  await prepare(sql);
  return work(sql);
}

/**
 * A large table takes longer than any request may. The formats are those that every server reads alike, whatever is set
 * for the user or the database; and a policy that would hide rows is an error instead.
 */
async function prepare(sql: postgres.Sql): Promise<void> {
  await sql`
    SELECT set_config(name, '0', true) FROM pg_settings
    WHERE name IN ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;
  await sql`
    SELECT set_config('datestyle', 'ISO, YMD', true), set_config('intervalstyle', 'postgres', true),
           set_config('extra_float_digits', '3', true), set_config('row_security', 'off', true)`;
}
