import { readMigrationFiles } from "drizzle-orm/migrator";
import type postgres from "postgres";
import { migrationsFolder } from "./known-migrations.js";

/** Any number, as long as no other program that shares the database takes the same one. */
export const migrationLock = 7_423_001;

/** Keeps all others from the schema until the caller's transaction ends, and returns what `listMigrations` does. */
export async function holdMigrations(sql: postgres.Sql): Promise<number[]> {
  await sql`SELECT pg_advisory_xact_lock(${migrationLock})`;
  return listMigrations(sql);
}

/** When each migration that has run here was written, oldest first; empty where Merkle has never been. */
export async function listMigrations(sql: postgres.Sql): Promise<number[]> {
  const [table] =
    await sql`SELECT to_regclass('merkle_migrations.__drizzle_migrations') IS NOT NULL AS there`;
  if (!table?.["there"]) return [];
  const rows = await sql`SELECT created_at FROM merkle_migrations.__drizzle_migrations ORDER BY created_at`;
  return rows.map((row) => Number(row["created_at"]));
}

/**
 * Runs those of the migrations given that have not been applied, as part of the caller's transaction that holds them,
 * with the records that drizzle's migrator keeps. Returns how many ran.
 */
export async function applyMigrations(
  sql: postgres.Sql,
  applied: readonly number[],
  wanted: readonly number[],
): Promise<number> {
  await sql`CREATE SCHEMA IF NOT EXISTS merkle_migrations`;
  await sql`
    CREATE TABLE IF NOT EXISTS merkle_migrations.__drizzle_migrations (
      id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint
    )`;
  const missing = readMigrationFiles({ migrationsFolder }).filter(
    ({ folderMillis }) => wanted.includes(folderMillis) && !applied.includes(folderMillis),
  );
  for (const migration of missing) {
    for (const statement of migration.sql) await sql.unsafe(statement);
    await sql`
      INSERT INTO merkle_migrations.__drizzle_migrations (hash, created_at)
      VALUES (${migration.hash}, ${migration.folderMillis})`;
  }
  return missing.length;
}
