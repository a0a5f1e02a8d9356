import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const migrationsFolder = findMigrations();

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

/** Those of `migrations` that a later Merkle has brought. */
export function unknownMigrations(migrations: readonly number[]): number[] {
  const known = new Set(knownMigrations());
  return migrations.filter((when) => !known.has(when));
}
