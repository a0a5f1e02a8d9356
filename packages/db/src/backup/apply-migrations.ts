import { readMigrationFiles } from "drizzle-orm/migrator";
import type postgres from "postgres";
import { DatabaseError } from "../database-error.js";
import { knownMigrations, migrationLock, migrationsFolder } from "../migrate.js";
import { BackupError } from "./backup-error.js";
import { listMigrations } from "./catalog.js";

/** @throws DatabaseError `schema_newer` when a backup has migrations that this version does not know */
export function refuseNewerBackup(migrations: readonly number[]): void {
  const known = new Set(knownMigrations());
  const unknown = migrations.filter((when) => !known.has(when));
  if (unknown.length === 0) return;
  throw new DatabaseError(
    "schema_newer",
    `The backup was written by a newer Merkle: it has ${unknown.length} migration(s) that this version does not know. ` +
      "Nothing was restored. Restore it with the newer version.",
  );
}

/**
 * Brings the schema to exactly the migrations given, as part of the caller's transaction, with the records that the
 * migrator keeps: the next start goes on from there.
 */
export async function applyMigrations(sql: postgres.Sql, migrations: readonly number[]): Promise<void> {
  // A broker that starts at this moment waits until we are done.
  await sql`SELECT pg_advisory_xact_lock(${migrationLock})`;
  const wanted = new Set(migrations);
  const applied = await listMigrations(sql);
  const beyond = applied.filter((when) => !wanted.has(when));
  if (beyond.length > 0) {
    throw new BackupError(
      "target_newer",
      `The database already has ${beyond.length} migration(s) that the backup was made before. Nothing was restored. ` +
        "Restore into a new database: point MERKLE_HOME at an empty folder, or DATABASE_URL at an empty database.",
    );
  }
  await sql`CREATE SCHEMA IF NOT EXISTS merkle_migrations`;
  await sql`
    CREATE TABLE IF NOT EXISTS merkle_migrations.__drizzle_migrations (
      id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint
    )`;
  for (const migration of readMigrationFiles({ migrationsFolder })) {
    if (!wanted.has(migration.folderMillis) || applied.includes(migration.folderMillis)) continue;
    for (const statement of migration.sql) await sql.unsafe(statement);
    await sql`
      INSERT INTO merkle_migrations.__drizzle_migrations (hash, created_at)
      VALUES (${migration.hash}, ${migration.folderMillis})`;
  }
}
