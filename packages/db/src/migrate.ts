import { applyMigrations, holdMigrations } from "./apply-migrations.js";
import type { ConnectionTarget } from "./connection.js";
import { DatabaseError, databaseErrorCode, isConnectionLost, isTimeout } from "./database-error.js";
import { knownMigrations, unknownMigrations } from "./known-migrations.js";
import { inTransaction, withPool } from "./long-transaction.js";

const lockMsUsual = 60_000;

/**
 * Brings the schema up to date, one broker at a time, and returns how many migrations ran (DB-11). All of them and the lock
 * are one transaction: a connection that is lost takes everything with it, and nothing goes on without the lock (DB-16).
 *
 * @throws DatabaseError `schema_newer` when a later Merkle has been here: its data is not ours to touch; `migration_failed`
 * when the connection is lost, or something else holds a lock for longer than `lockMs`
 */
export async function migrate(target: ConnectionTarget, lockMs = lockMsUsual): Promise<number> {
  try {
    return await withPool(target, 1, (pool) =>
      inTransaction(pool, "READ WRITE", async (sql) => {
        // Another broker may hold the lock for as long as its migrations take.
        await sql`SELECT set_config('lock_timeout', ${String(lockMs)}, true)`;
        const applied = await holdMigrations(sql);
        refuseNewerSchema(applied);
        const count = await applyMigrations(sql, applied, knownMigrations());
        await sql`COMMIT`;
        return count;
      }),
    );
  } catch (error) {
    if (isConnectionLost(error)) throw connectionLost(error);
    throw isTimeout(error) ? locked(error, lockMs) : error;
  }
}

function refuseNewerSchema(applied: readonly number[]): void {
  const unknown = unknownMigrations(applied);
  if (unknown.length === 0) return;
  throw new DatabaseError(
    "schema_newer",
    `The database was written by a newer Merkle: it has ${unknown.length} migration(s) that this version does not know. ` +
      "Start the newer version, or point MERKLE_HOME or DATABASE_URL at another database.",
  );
}

function connectionLost(cause: unknown): DatabaseError {
  return new DatabaseError(
    "migration_failed",
    `The connection to the database was lost while its schema was brought up to date (${databaseErrorCode(cause)}). ` +
      "That is done as a whole or not at all. Start Merkle again once the database answers.",
    { cause },
  );
}

function locked(cause: unknown, lockMs: number): DatabaseError {
  return new DatabaseError(
    "migration_failed",
    `The schema of the database could not be brought up to date: something else has kept it locked for ${lockMs / 1000} s, ` +
      "as another broker that starts, a restore or a transaction that somebody left open. Nothing of it was done. Start Merkle again " +
      "once that has ended; pg_stat_activity lists what is open.",
    { cause },
  );
}
