import {
  BackupError,
  type BackupProgress,
  type BackupSummary,
  backupDatabase,
  type RestoreSummary,
  readBackupManifest,
  restoreDatabase,
} from "@merkle/db";
import { readVersion } from "../core/version.js";
import { hasDatabase, withHomeDatabase } from "./home-database.js";

export type { BackupProgress };

export interface HomeBackupOptions {
  /** The Merkle home, an absolute path. */
  readonly home: string;
  /** URL of an external PostgreSQL (default: this home's embedded PostgreSQL). */
  readonly databaseUrl?: string | undefined;
  /** The backup file, an absolute path. */
  readonly file: string;
  /** Called often during the work. */
  readonly onProgress?: ((progress: BackupProgress) => void) | undefined;
  /** Cancels the work when aborted. Nothing is changed, and nothing is left running. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a home's database to one file (BACKUP-1). A running broker is not interrupted. If no broker is
 * running, the embedded PostgreSQL is started just for the backup.
 *
 * @throws BackupError, DatabaseError or EmbeddedPostgresError with a message for people; no file is left behind
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
    backupDatabase({ target, file, overwrite, merkleVersion: readVersion(), ...toProgressOptions(options) }),
  );
}

/**
 * Restores a backup into the empty database of a home (BACKUP-2, BACKUP-3). Locks the home, so that no broker
 * can run on it.
 *
 * @throws BackupError, DatabaseError or EmbeddedPostgresError with a message for people; nothing is changed
 */
export async function restoreHome(options: HomeBackupOptions): Promise<RestoreSummary> {
  // Refuses an invalid backup file before a database is created.
  await readBackupManifest(options.file);
  return withHomeDatabase({ ...options, whenHeld: "refuse" }, (target) =>
    restoreDatabase({ target, file: options.file, ...toProgressOptions(options) }),
  );
}

function toProgressOptions({ onProgress, signal }: HomeBackupOptions) {
  return { ...(onProgress ? { onProgress } : {}), ...(signal ? { signal } : {}) };
}
