import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type postgres from "postgres";

/**
 * Number of the migration lock, chosen arbitrarily. Other programs on the same database must not use the same
 * advisory lock.
 */
export const migrationLock = 7_423_001;

export const migrationsFolder = findInAncestors("migrations");

/**
 * Returns the path of a file or folder, which is next to this file in a bundle and otherwise in the nearest
 * parent folder that contains it.
 */
function findInAncestors(name: "migrations" | "sql" | "package.json"): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, name))) {
    if (folder === dirname(folder))
      throw new TypeError(`The file ${name} of Merkle is missing. Install Merkle again.`);
    folder = dirname(folder);
  }
  return join(folder, name);
}

/** Returns the timestamp of each known migration. The migrator uses timestamps as ids. */
export function readKnownMigrations(): number[] {
  return readJournal().map(({ when }) => when);
}

/** Returns the names of the known migrations that are not in `applied`. */
export function readPendingMigrations(applied: readonly number[]): string[] {
  return readJournal().flatMap(({ when, tag }) => (applied.includes(when) ? [] : [tag]));
}

/** Returns the name of the newest known migration. A database must have run it before a broker uses it. */
export function readNewestMigration(): string {
  return readJournal().at(-1)?.tag ?? "";
}

function readJournal(): readonly { when: number; tag: string }[] {
  const journal: unknown = JSON.parse(readFileSync(`${migrationsFolder}/meta/_journal.json`, "utf8"));
  if (
    typeof journal !== "object" ||
    journal === null ||
    !("entries" in journal) ||
    !Array.isArray(journal.entries)
  ) {
    throw new TypeError("Merkle's list of migrations is damaged. Install Merkle again.");
  }
  return journal.entries;
}

/**
 * Locks the schema against other migrations until the caller's transaction ends. Returns the result of
 * `listMigrations`.
 */
export async function lockMigrations(sql: postgres.Sql): Promise<number[]> {
  await sql`SELECT pg_advisory_xact_lock(${migrationLock})`;
  return listMigrations(sql);
}

/**
 * Returns the timestamps of the migrations that have run on this database, oldest first. Empty if Merkle has
 * never used it.
 */
export async function listMigrations(sql: postgres.Sql): Promise<number[]> {
  if (!(await tableExists(sql, "__drizzle_migrations"))) return [];
  const rows = await sql`SELECT created_at FROM merkle_migrations.__drizzle_migrations ORDER BY created_at`;
  return rows.map((row) => Number(row["created_at"]));
}

/**
 * Returns the number of the oldest build that can use the schema, or 0 if every build can. A migration that
 * breaks older builds sets this number: `UPDATE merkle_migrations.compatibility SET compatible_build = <the
 * build that introduces it>`.
 */
export async function readCompatibleBuild(sql: postgres.Sql): Promise<number> {
  if (!(await tableExists(sql, "compatibility"))) return 0;
  // The table may lack this column if the last migration ran before builds had numbers.
  const [row] =
    await sql`SELECT to_jsonb(c) -> 'compatible_build' AS build FROM merkle_migrations.compatibility c`;
  return Number(row?.["build"] ?? 0);
}

async function tableExists(sql: postgres.Sql, table: string): Promise<boolean> {
  const [row] = await sql`SELECT to_regclass(${`merkle_migrations.${table}`}) IS NOT NULL AS there`;
  return row?.["there"] === true;
}

/**
 * Runs the `wanted` migrations that have not been applied yet, and records them in the same way as drizzle's
 * migrator. The caller's transaction must hold the migration lock. Returns how many migrations ran.
 */
export async function applyMigrations(
  sql: postgres.Sql,
  applied: readonly number[],
  requested: readonly number[],
): Promise<number> {
  await createMigrationTables(sql);
  const missing = readMigrationFiles({ migrationsFolder }).filter(
    ({ folderMillis }) => requested.includes(folderMillis) && !applied.includes(folderMillis),
  );
  for (const migration of missing) {
    for (const statement of migration.sql) await sql.unsafe(statement);
    await sql`
      INSERT INTO merkle_migrations.__drizzle_migrations (hash, created_at)
      VALUES (${migration.hash}, ${migration.folderMillis})`;
  }
  return missing.length;
}

async function createMigrationTables(sql: postgres.Sql): Promise<void> {
  await sql.unsafe(`
    CREATE SCHEMA IF NOT EXISTS merkle_migrations;
    CREATE TABLE IF NOT EXISTS merkle_migrations.__drizzle_migrations (
      id SERIAL PRIMARY KEY, hash text NOT NULL, created_at bigint
    );
    CREATE TABLE IF NOT EXISTS merkle_migrations.functions (
      name text PRIMARY KEY, hash text NOT NULL, version text NOT NULL
    );
    CREATE TABLE IF NOT EXISTS merkle_migrations.compatibility (
      one boolean PRIMARY KEY DEFAULT true CHECK (one), compatible_from text NOT NULL
    );
    ALTER TABLE merkle_migrations.functions ADD COLUMN IF NOT EXISTS build integer NOT NULL DEFAULT 0;
    ALTER TABLE merkle_migrations.compatibility ADD COLUMN IF NOT EXISTS compatible_build integer NOT NULL DEFAULT 0;
    INSERT INTO merkle_migrations.compatibility (compatible_from) VALUES ('0.0.0') ON CONFLICT DO NOTHING`);
}

/** A SQL function defined by Merkle. The file `sql/<name>.sql` creates or replaces it. */
export interface SqlFunction {
  readonly name: string;
  readonly text: string;
}

export function readSqlFunctions(): SqlFunction[] {
  const folder = findInAncestors("sql");
  const files = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return files
    .sort()
    .map((file) => ({ name: basename(file, ".sql"), text: readFileSync(join(folder, file), "utf8") }));
}

/**
 * Applies the SQL functions whose text has changed. The caller's transaction must hold the migration lock.
 * Two builds may share a database, so a build never overwrites a function that a newer build applied. If a
 * function's signature or meaning changes, it gets a new name, and the old function stays for one release.
 */
export async function applyFunctions(
  sql: postgres.Sql,
  functions: readonly SqlFunction[],
  build: number,
): Promise<void> {
  const rows = await sql`SELECT name, hash, build FROM merkle_migrations.functions`;
  const applied = new Map(rows.map((row) => [row["name"], row]));
  for (const { name, text } of functions) {
    const hash = createHash("sha256").update(text).digest("hex");
    const last = applied.get(name);
    if (last && (last["hash"] === hash || build < last["build"])) continue;
    await sql.unsafe(text);
    await sql`
      INSERT INTO merkle_migrations.functions (name, hash, version, build) VALUES (${name}, ${hash}, ${readOwnVersion()}, ${build})
      ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, version = excluded.version, build = excluded.build`;
  }
}

/** Returns Merkle's version from the package.json of the package that contains this file. */
export function readOwnVersion(): string {
  const description: unknown = JSON.parse(readFileSync(findInAncestors("package.json"), "utf8"));
  if (typeof description === "object" && description !== null && "version" in description) {
    return String(description.version);
  }
  throw new TypeError("Merkle's package.json has no version. Install Merkle again.");
}
