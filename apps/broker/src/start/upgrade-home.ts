import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { BackupError, backupDatabase, type ConnectionTarget, migrate, restoreDatabase } from "@merkle/db";
import {
  EmbeddedPostgresError,
  explainPathErrors,
  getInstalledBinaries,
  listMajors,
  lockHome,
  markMove,
  readMajor,
  startEmbeddedPostgres,
} from "@merkle/db/embedded";
import { readVersion } from "../core/version.js";
import { withHomeDatabase } from "./home-database.js";

export interface UpgradeResult {
  /** The names of the migrations that ran, or that would run if this is a dry run. */
  readonly migrations: readonly string[];
  /** Path of the backup written before the migrations. Null if no backup was written. */
  readonly backup: string | null;
}

export interface UpgradeOptions {
  /** The Merkle home, an absolute path. */
  readonly home: string;
  /** URL of an external PostgreSQL (default: this home's embedded PostgreSQL). */
  readonly databaseUrl?: string | undefined;
  /** Whether to run all migrations and then roll them back. A dry run writes no backup. */
  readonly dryRun: boolean;
  /** Whether to write a backup before the first migration. */
  readonly backup: boolean;
}

/**
 * Migrates the database of a home to this version's schema, without starting a broker (DB-31).
 *
 * @throws BackupError, DatabaseError or EmbeddedPostgresError with a human-readable message; in that case nothing has changed
 */
export async function upgradeHome(options: UpgradeOptions): Promise<UpgradeResult> {
  const { home, dryRun } = options;
  let result: UpgradeResult = { migrations: [], backup: null };
  await withHomeDatabase({ ...options, whenHeld: "refuse" }, (target) =>
    migrate(target, {
      dryRun,
      async beforeMigrating(migrations) {
        const backup =
          options.backup && !dryRun ? await writeBackupBefore(home, target, migrations[0] ?? "") : null;
        result = { migrations, backup };
      },
    }),
  );
  return result;
}

/** Writes a backup into the home. Its file name includes the step that follows the backup. Returns the path. */
export async function writeBackupBefore(
  home: string,
  target: ConnectionTarget,
  next: string,
): Promise<string> {
  const folder = join(home, "backups");
  await explainPathErrors(folder, () => mkdir(folder, { recursive: true, mode: 0o700 }));
  const at = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const file = join(folder, `${at}-before-${next}.backup`);
  await backupDatabase({ target, file, merkleVersion: readVersion() });
  return file;
}

/**
 * Moves a home's data into the PostgreSQL version that this Merkle includes, by a backup and restore (DB-33).
 * `postgres` is a folder with the `bin/` of the major version that wrote the data. The old data is kept.
 *
 * @throws BackupError or EmbeddedPostgresError with a message for people; the old data is unchanged
 */
export async function upgradePostgres({
  home,
  postgres,
}: {
  readonly home: string;
  readonly postgres: string;
}): Promise<{ readonly from: number; readonly to: number; readonly backup: string }> {
  const lock = await lockHome(home);
  try {
    const from = await readMajor(postgres);
    await requireData(home, from);
    const backup = await writeOlderBackup(home, postgres, from);
    // The mark keeps brokers from starting until the data is complete.
    const unmark = await markMove(home);
    const server = await startEmbeddedPostgres({ home, ignoreOlderMajor: true });
    try {
      await restoreOnce(server.connection, backup);
    } finally {
      await server.stop();
    }
    await unmark();
    return { from, to: server.major, backup };
  } finally {
    await lock.release();
  }
}

async function requireData(home: string, major: number): Promise<void> {
  const majors = await listMajors(home);
  const own = await readMajor(getInstalledBinaries());
  if (majors.includes(major) && major !== own) return;
  throw new EmbeddedPostgresError(
    "other_major",
    `There is nothing to upgrade: the data in ${home} is from PostgreSQL ${majors.join(" and ") || "no version"}, this Merkle includes ${own}, and --postgres names ${major}.`,
  );
}

async function writeOlderBackup(home: string, postgres: string, major: number): Promise<string> {
  const older = await startEmbeddedPostgres({ home, binaries: postgres, ignoreOlderMajor: true });
  try {
    return await writeBackupBefore(home, older.connection, `leaving-postgresql-${major}`);
  } finally {
    await older.stop();
  }
}

/**
 * Restores a backup into a new database. If an earlier move failed after its restore, the database already
 * contains the backup. It has not been changed since, so a non-empty database is accepted.
 */
async function restoreOnce(target: ConnectionTarget, file: string): Promise<void> {
  try {
    await restoreDatabase({ target, file });
  } catch (error) {
    if (!(error instanceof BackupError && error.code === "target_not_empty")) throw error;
  }
}
