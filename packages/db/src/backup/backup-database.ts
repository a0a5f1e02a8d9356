import type { ConnectionTarget } from "../core/connection.js";
import { listMigrations } from "../core/migrations.js";
import { BackupError, explainDatabaseError } from "./backup-error.js";
import { estimateRows, listSequences, listTables } from "./catalog.js";
import { copyOut } from "./copy.js";
import type { BackupManifest, BackupProgress, TableRows } from "./manifest.js";
import { type Snapshot, withSnapshot } from "./transaction.js";
import { writeBackupFile } from "./write-backup-file.js";

export interface BackupOptions {
  target: ConnectionTarget;
  file: string;
  /** Whether to replace an existing `file` once the new backup is complete. */
  overwrite?: boolean;
  /** Merkle's version, recorded in the backup for information only. */
  merkleVersion?: string;
  /** Called often while rows are copied. */
  onProgress?: (progress: BackupProgress) => void;
  /** Aborts the backup and leaves no file. */
  signal?: AbortSignal;
}

export interface BackupSummary {
  readonly epoch: string;
  readonly migrations: readonly number[];
  readonly tables: readonly TableRows[];
  readonly bytes: number;
  /** Hash of the file's content. The file's last line contains it too. */
  readonly sha256: string;
}

/**
 * Writes a consistent snapshot of the whole database to one file (BACKUP-1). Brokers can continue writing:
 * neither side waits for the other. When the promise resolves, the file is complete and on disk. Memory use
 * does not depend on the size of the database.
 *
 * The backup contains all tables of Merkle's schema, including any added by hand. Credentials appear as in
 * the database, hashed or encrypted. Messages and documents are readable.
 *
 * @throws BackupError if the backup fails; the message says what to do, and no file is left
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
  const total = onProgress ? await estimateRows(sql) : null;
  const written = await writeBackupFile(file, overwrite, {
    manifest,
    onRows: (done) =>
      onProgress?.({ step: "copy", done, total: total !== null && total < done ? null : total }),
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
