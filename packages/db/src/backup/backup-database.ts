import type { ConnectionTarget } from "../core/connection.js";
import { listMigrations } from "../core/migrations.js";
import { BackupError, explainDatabaseError } from "./backup-error.js";
import { listSequences, listTables } from "./catalog.js";
import { copyOut } from "./copy.js";
import type { BackupManifest, TableRows } from "./manifest.js";
import { type Snapshot, withSnapshot } from "./transaction.js";
import { writeBackupFile } from "./write-backup-file.js";

export interface BackupOptions {
  target: ConnectionTarget;
  file: string;
  /** Replaces `file` when it exists, at the moment the new backup is complete. */
  overwrite?: boolean;
  /** Noted in the backup, for people. */
  merkleVersion?: string;
  /** Called often, with the rows of a table so far. */
  onProgress?: (table: string, rows: number) => void;
  /** Ends the backup; nothing is left of it. */
  signal?: AbortSignal;
}

export interface BackupSummary {
  readonly epoch: string;
  readonly migrations: readonly number[];
  readonly tables: readonly TableRows[];
  /** The size of the file. */
  readonly bytes: number;
  /** The hash of what the file holds, as noted at its end. */
  readonly sha256: string;
}

/**
 * Writes everything that the database holds, as it was at one moment, to one file (BACKUP-1). Brokers may go on writing
 * meanwhile; they neither wait nor are waited for. When this resolves the file is complete, and on the disk. The memory
 * it takes does not depend on the size of the database.
 *
 * All tables of Merkle's schema are in it, also those that somebody added there by hand. Credentials are in it as the
 * database has them, as hashes or sealed; messages and documents are readable.
 *
 * @throws BackupError with a sentence that says what is wrong and what to do; no file is left then
 */
export async function backupDatabase(options: BackupOptions): Promise<BackupSummary> {
  try {
    return await withSnapshot(options.target, (snapshot) => writeSnapshot(snapshot, options));
  } catch (error) {
    throw explainDatabaseError(error, "No backup was written.");
  }
}

async function writeSnapshot({ sql, cancel }: Snapshot, options: BackupOptions): Promise<BackupSummary> {
  const { file, overwrite = false, onProgress, signal } = options;
  const manifest = await describe(sql, options.merkleVersion);
  const written = await writeBackupFile(file, overwrite, {
    manifest,
    onProgress,
    async *readTable(index) {
      const table = manifest.tables[index];
      if (!table) throw new RangeError(`There is no table ${index}.`);
      for await (const chunk of copyOut(sql, table, cancel)) {
        signal?.throwIfAborted();
        yield chunk;
      }
    },
  });
  return { epoch: manifest.epoch, migrations: manifest.migrations, ...written };
}

async function describe(sql: Snapshot["sql"], merkleVersion = ""): Promise<BackupManifest> {
  const migrations = await listMigrations(sql);
  if (migrations.length === 0) throw noMerkle();
  const [facts] = await sql`
    SELECT value #>> '{}' AS epoch, current_setting('server_version') AS version FROM settings WHERE key = 'epoch'`;
  if (!facts) throw noMerkle();
  const tables = await listTables(sql);
  return {
    format: "merkle-backup",
    version: 1,
    created_at: new Date().toISOString(),
    merkle_version: merkleVersion || null,
    server_version: String(facts["version"]),
    epoch: String(facts["epoch"]),
    migrations,
    tables: tables.map(({ name, columns }) => ({ name, columns })),
    sequences: await listSequences(sql),
  };
}

function noMerkle(): BackupError {
  return new BackupError(
    "no_merkle_database",
    "There is nothing to back up: no broker has ever used this database. Correct MERKLE_HOME or DATABASE_URL.",
  );
}
