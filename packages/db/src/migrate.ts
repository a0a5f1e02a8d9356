import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate as runMigrations } from "drizzle-orm/postgres-js/migrator";
import type postgres from "postgres";
import { type ConnectionTarget, connectPool } from "./connection.js";
import { DatabaseError } from "./database-error.js";

export const migrationsFolder = findMigrations();

/** Any number, as long as no other program that shares the database takes the same one. */
export const migrationLock = 7_423_001;

/**
 * Brings the schema up to date, one broker at a time, and returns how many migrations ran (DB-11).
 *
 * @throws DatabaseError `schema_newer` when a later Merkle has been here: its data is not ours to touch
 */
export async function migrate(target: ConnectionTarget): Promise<number> {
  // One connection, because the lock belongs to the connection that took it.
  const connection = connectPool(target, 1, { keepOpen: true });
  try {
    // Another broker may hold the lock for as long as its migrations take.
    await connection`SELECT set_config('lock_timeout', '60s', false), set_config('statement_timeout', '0', false)`;
    await connection`SELECT pg_advisory_lock(${migrationLock})`;
    const before = await appliedMigrations(connection);
    refuseNewerSchema(before);
    await runMigrations(drizzle(connection), { migrationsFolder, migrationsSchema: "merkle_migrations" });
    return (await appliedMigrations(connection)).length - before.length;
  } finally {
    await connection.end({ timeout: 5 });
  }
}

/** Beside this file in a bundle; in the workspace, beside the folder of the sources or of what is compiled from them. */
function findMigrations(): string {
  const beside = fileURLToPath(new URL("./migrations", import.meta.url));
  return existsSync(beside) ? beside : fileURLToPath(new URL("../migrations", import.meta.url));
}

/** When each known migration was written, which is how the migrator tells them apart. */
export function knownMigrations(): number[] {
  return readJournal().map(({ when }) => when);
}

/** The name of the newest known migration, which every open database has been through. */
export function newestMigration(): string {
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
    throw new TypeError("The migrations' journal is damaged: install Merkle again.");
  }
  return journal.entries;
}

async function appliedMigrations(connection: postgres.Sql): Promise<number[]> {
  const [table] =
    await connection`SELECT to_regclass('merkle_migrations.__drizzle_migrations') IS NOT NULL AS there`;
  if (!table?.["there"]) return [];
  const rows =
    await connection`SELECT created_at FROM merkle_migrations.__drizzle_migrations ORDER BY created_at`;
  return rows.map((row) => Number(row["created_at"]));
}

function refuseNewerSchema(applied: readonly number[]): void {
  const known = new Set(knownMigrations());
  const unknown = applied.filter((when) => !known.has(when));
  if (unknown.length === 0) return;
  throw new DatabaseError(
    "schema_newer",
    `The database was written by a newer Merkle: it has ${unknown.length} migration(s) that this version does not know. ` +
      "Start the newer version, or point MERKLE_HOME or DATABASE_URL at another database.",
  );
}
