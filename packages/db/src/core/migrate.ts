import { buildNumber } from "@merkle/wire";
import type { ConnectionTarget } from "./connection.js";
import { DatabaseError, findDatabaseErrorCode, isConnectionLost, isTimeout } from "./database-error.js";
import { createIndexesOfSmallTables } from "./large-indexes.js";
import { withPool, withTransaction } from "./long-transaction.js";
import {
  applyFunctions,
  applyMigrations,
  lockMigrations,
  readCompatibleBuild,
  readKnownMigrations,
  readOwnVersion,
  readPendingMigrations,
  readSqlFunctions,
} from "./migrations.js";

export interface MigrateOptions {
  /** Maximum wait for each lock, in milliseconds. Default: 60,000. */
  readonly lockMs?: number;
  /** Build number of the broker that migrates. Default: this build. */
  readonly build?: number;
  /**
   * Called with the names of the migrations about to run, while the migration lock is held. Not called for a
   * new database. If the promise rejects, nothing is changed.
   */
  readonly beforeMigrating?: ((names: readonly string[]) => Promise<unknown>) | undefined;
  /** Whether to run everything and roll it back, to check that it would succeed. Default: false. */
  readonly dryRun?: boolean;
}

/**
 * Brings the schema and its functions up to date, and returns the number of migrations that ran (DB-11). Only
 * one broker migrates at a time. The lock and all changes share one transaction: if the connection is lost,
 * everything is rolled back, and nothing continues without the lock (DB-16).
 *
 * @throws DatabaseError `schema_newer` if the schema requires a newer build; `migration_failed` if the
 * connection is lost or a lock is unavailable for longer than `lockMs`
 */
export async function migrate(
  target: ConnectionTarget,
  { lockMs = 60_000, build = buildNumber, beforeMigrating, dryRun = false }: MigrateOptions = {},
): Promise<number> {
  try {
    return await withPool(target, 1, (pool) =>
      withTransaction(pool, "READ WRITE", async (sql) => {
        // Another broker holds the lock while its own migrations run.
        await sql`SELECT set_config('lock_timeout', ${String(lockMs)}, true)`;
        const applied = await lockMigrations(sql);
        refuseNewerSchema(build, await readCompatibleBuild(sql));
        const names = readPendingMigrations(applied);
        if (applied.length > 0 && names.length > 0) await beforeMigrating?.(names);
        const count = await applyMigrations(sql, applied, readKnownMigrations());
        await applyFunctions(sql, readSqlFunctions(), build);
        await createIndexesOfSmallTables(sql);
        if (!dryRun) await sql`COMMIT`;
        return count;
      }),
    );
  } catch (error) {
    if (isConnectionLost(error)) throw connectionLost(error);
    throw isTimeout(error) ? locked(error, lockMs) : error;
  }
}

function refuseNewerSchema(build: number, compatibleBuild: number): void {
  if (build >= compatibleBuild) return;
  throw new DatabaseError(
    "schema_newer",
    `The database was written by a newer Merkle: its schema requires build ${compatibleBuild} or later, and this is build ${build} (version ${readOwnVersion()}). ` +
      "Upgrade Merkle and start it again, or point MERKLE_HOME or DATABASE_URL at another database. Nothing was changed.",
  );
}

function connectionLost(cause: unknown): DatabaseError {
  return new DatabaseError(
    "migration_failed",
    `The connection to the database was lost during the schema upgrade (${findDatabaseErrorCode(cause)}). ` +
      "The upgrade is all or nothing, so the database is intact. Start Merkle again once the database responds.",
    { cause },
  );
}

function locked(cause: unknown, lockMs: number): DatabaseError {
  return new DatabaseError(
    "migration_failed",
    `The database schema could not be upgraded: another program has locked it for ${lockMs / 1000} s, ` +
      "such as a starting broker, a restore or an open transaction. Nothing was changed. Start Merkle again " +
      "once that program has finished; pg_stat_activity lists the open transactions.",
    { cause },
  );
}
