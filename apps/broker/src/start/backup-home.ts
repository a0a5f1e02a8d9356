import {
  BackupError,
  type BackupSummary,
  backupDatabase,
  type RestoreSummary,
  readBackupManifest,
  restoreDatabase,
} from "@merkle/db";
import { readVersion } from "../core/version.js";
import { hasDatabase, withHomeDatabase } from "./home-database.js";

export interface HomeBackupOptions {
  /** The Merkle home, an absolute path. */
  readonly home: string;
  /** A PostgreSQL of the user's own; without it the embedded one of this home. */
  readonly databaseUrl?: string | undefined;
  /** An absolute path. */
  readonly file: string;
  /** Called often, with the rows of a table so far. */
  readonly onProgress?: ((table: string, rows: number) => void) | undefined;
  /** Ends the work; nothing is changed then, and nothing is left running. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes the database of a home to one file (BACKUP-1). The broker may run, and goes on; when none does, its PostgreSQL is
 * started for this alone.
 *
 * @throws BackupError, DatabaseError or EmbeddedPostgresError with a sentence for people; no file is left then
 */
export async function backupHome(
  options: HomeBackupOptions & { readonly overwrite?: boolean },
): Promise<BackupSummary> {
  const { home, databaseUrl, file, overwrite = false } = options;
  if (databaseUrl === undefined && !(await hasDatabase(home))) {
    throw new BackupError(
      "no_merkle_database",
      `There is nothing to back up: no broker has ever used ${home}. Correct MERKLE_HOME or DATABASE_URL.`,
    );
  }
  return withHomeDatabase({ ...options, whenHeld: "join" }, (target) =>
    backupDatabase({ target, file, overwrite, merkleVersion: readVersion(), ...reporting(options) }),
  );
}

/**
 * Fills the empty database of a home with a backup (BACKUP-2, BACKUP-3). No broker may run on it meanwhile, so the lock of
 * the home is held.
 *
 * @throws BackupError, DatabaseError or EmbeddedPostgresError with a sentence for people; nothing is changed then
 */
export async function restoreHome(options: HomeBackupOptions): Promise<RestoreSummary> {
  // A file that is no backup is refused before anything is made for it.
  await readBackupManifest(options.file);
  return withHomeDatabase({ ...options, whenHeld: "refuse" }, (target) =>
    restoreDatabase({ target, file: options.file, ...reporting(options) }),
  );
}

function reporting({ onProgress, signal }: HomeBackupOptions) {
  return { ...(onProgress ? { onProgress } : {}), ...(signal ? { signal } : {}) };
}
