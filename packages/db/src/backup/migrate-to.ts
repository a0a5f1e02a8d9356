import type postgres from "postgres";
import { DatabaseError } from "../core/database-error.js";
import { applyMigrations, lockMigrations, readKnownMigrations } from "../core/migrations.js";
import { BackupError } from "./backup-error.js";

/** @throws DatabaseError `schema_newer` if the backup has migrations unknown to this version */
export function refuseNewerBackup(migrations: readonly number[]): void {
  const known = new Set(readKnownMigrations());
  const unknown = migrations.filter((when) => !known.has(when));
  if (unknown.length === 0) return;
  throw new DatabaseError(
    "schema_newer",
    `The backup was written by a newer Merkle: it has ${unknown.length} migration(s) that this version does not know. ` +
      "Nothing was restored. Restore it with the newer version.",
  );
}

/**
 * Runs exactly the given migrations on the schema, within the caller's transaction. The next broker that
 * starts runs the remaining ones.
 */
export async function migrateTo(sql: postgres.Sql, migrations: readonly number[]): Promise<void> {
  // A broker that starts now waits until this transaction ends.
  const applied = await lockMigrations(sql);
  const beyond = applied.filter((when) => !migrations.includes(when));
  if (beyond.length > 0) {
    throw new BackupError(
      "target_newer",
      `The database is newer than the backup: it has ${beyond.length} more migration(s). Nothing was restored. ` +
        "Restore into a new database: point MERKLE_HOME at an empty folder, or DATABASE_URL at an empty database.",
    );
  }
  await applyMigrations(sql, applied, migrations);
}
