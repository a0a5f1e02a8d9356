import { randomUUID } from "node:crypto";
import { stat } from "node:fs/promises";
import type postgres from "postgres";
import type { ConnectionTarget } from "../core/connection.js";
import { BackupError, explainDatabaseError } from "./backup-error.js";
import { type CatalogTable, listTables } from "./catalog.js";
import { copyIn, quoteIdentifier } from "./copy.js";
import {
  altered,
  type BackupProgress,
  type BackupSequence,
  type BackupTable,
  type TableRows,
} from "./manifest.js";
import { migrateTo, refuseNewerBackup } from "./migrate-to.js";
import { readBackupFile, type TakeTable, type VerifiedBackup } from "./read-backup-file.js";
import { withRestore } from "./transaction.js";

export interface RestoreOptions {
  target: ConnectionTarget;
  file: string;
  /** Called often while the file is checked, then while rows are restored. */
  onProgress?: (progress: BackupProgress) => void;
  /** Aborts the restore without changing anything. */
  signal?: AbortSignal;
}

export interface RestoreSummary {
  /** The epoch that the database has after the restore. */
  readonly epoch: string;
  readonly previousEpoch: string;
  readonly migrations: readonly number[];
  readonly tables: readonly TableRows[];
  /**
   * Tables in the backup that no migration creates, because someone added them by hand. They are not
   * restored.
   */
  readonly skipped: readonly string[];
}

/**
 * Tables that get rows as soon as a broker starts on a new database. The restore replaces those rows with the
 * backup's.
 */
const replacedTables = ["settings", "meshes", "audit_keys"];

/**
 * Fills an empty database from a backup and gives it a new epoch, because the broker will reissue sequences
 * that it issued after the backup (BACKUP-3). The database counts as empty if none of the backup's tables has
 * rows, apart from `settings`, `meshes` and `audit_keys`. No broker may be running on the database.
 *
 * The file is read twice: once completely before the database is touched, and again for the rows. Both reads
 * must agree before the commit. Migrations, rows, sequences and the epoch are one transaction, so the restore
 * changes everything or nothing. Only the backup's own migrations run here. The next broker that starts runs
 * the rest. Memory use does not depend on the size of the backup.
 *
 * @throws BackupError, or DatabaseError `schema_newer`; the message says what to do
 */
export async function restoreDatabase(options: RestoreOptions): Promise<RestoreSummary> {
  const { file, onProgress, signal } = options;
  const checkData: TakeTable = async (_, data) => {
    for await (const _chunk of data) signal?.throwIfAborted();
  };
  const total = onProgress
    ? await stat(file).then(
        ({ size }) => size,
        () => null,
      )
    : null;
  const backup = await readBackupFile(file, checkData, (done) =>
    onProgress?.({ step: "check", done, total }),
  );
  refuseNewerBackup(backup.manifest.migrations);
  try {
    return await withRestore(options.target, (sql) => restore(sql, backup, options));
  } catch (error) {
    throw explainDatabaseError(error, "Nothing was restored.");
  }
}

async function restore(
  sql: postgres.Sql,
  backup: VerifiedBackup,
  options: RestoreOptions,
): Promise<RestoreSummary> {
  const { manifest } = backup;
  await migrateTo(sql, manifest.migrations);
  const { tables, skipped } = await matchTables(sql, manifest.tables);
  await requireEmpty(sql, tables);

  await sql`SET CONSTRAINTS ALL DEFERRED`;
  await switchInsertTriggers(sql, tables, "DISABLE");
  for (const { name } of tables) if (replacedTables.includes(name)) await sql`DELETE FROM ${sql(name)}`;
  await loadRows(sql, backup, skipped, options);
  await setSequences(sql, manifest.sequences);
  // Triggers cannot be enabled or disabled while deferred constraints are pending.
  await sql`SET CONSTRAINTS ALL IMMEDIATE`;
  await switchInsertTriggers(sql, tables, "ENABLE");
  const epoch = await giveNewEpoch(sql);
  await markPeersRestored(sql);
  await deleteNodes(sql);
  // Otherwise the planner would have no statistics until autovacuum runs.
  await sql.unsafe(`ANALYZE ${formatTableList(tables)}`);

  return {
    epoch,
    previousEpoch: manifest.epoch,
    migrations: manifest.migrations,
    tables: backup.tables.filter(({ name }) => !skipped.includes(name)),
    skipped,
  };
}

/** Matches the backup's tables to the database's, after both have run the same migrations. */
async function matchTables(
  sql: postgres.Sql,
  backupTables: readonly BackupTable[],
): Promise<{ tables: CatalogTable[]; skipped: string[] }> {
  const present = new Map((await listTables(sql)).map((table) => [table.name, table]));
  const tables: CatalogTable[] = [];
  const skipped: string[] = [];
  for (const { name, columns } of backupTables) {
    const table = present.get(name);
    if (!table) {
      skipped.push(name);
      continue;
    }
    const missing = columns.filter((column) => !table.columns.includes(column));
    if (missing.length > 0) {
      throw new BackupError(
        "refused_by_database",
        `The table ${name} in the backup has columns that this version of Merkle does not know (${missing.join(", ")}). Nothing was restored. Add these columns to the table in the database, then try again.`,
      );
    }
    tables.push(table);
  }
  return { tables, skipped };
}

/**
 * Locks every table until the transaction ends, and throws if one has rows. The lock keeps the tables empty.
 */
async function requireEmpty(sql: postgres.Sql, tables: readonly CatalogTable[]): Promise<void> {
  await sql.unsafe(`LOCK TABLE ${formatTableList(tables)} IN ACCESS EXCLUSIVE MODE`);
  for (const { name } of tables) {
    if (replacedTables.includes(name)) continue;
    const [found] = await sql`SELECT EXISTS (SELECT FROM ${sql(name)}) AS rows`;
    if (found?.["rows"] !== true) continue;
    throw new BackupError(
      "target_not_empty",
      `The database is not empty: its table ${name} has rows. Nothing was restored or changed. ` +
        "Restore into a new database: point MERKLE_HOME at an empty folder, or DATABASE_URL at an empty database.",
    );
  }
}

async function switchInsertTriggers(
  sql: postgres.Sql,
  tables: readonly CatalogTable[],
  state: "ENABLE" | "DISABLE",
): Promise<void> {
  for (const { name, insertTriggers } of tables) {
    for (const trigger of insertTriggers) {
      await sql.unsafe(`ALTER TABLE ${quoteIdentifier(name)} ${state} TRIGGER ${quoteIdentifier(trigger)}`);
    }
  }
}

async function loadRows(
  sql: postgres.Sql,
  backup: VerifiedBackup,
  skipped: readonly string[],
  { file, onProgress, signal }: RestoreOptions,
): Promise<void> {
  const total = backup.tables.reduce((sum, { name, rows }) => sum + (skipped.includes(name) ? 0 : rows), 0);
  let loaded = 0;
  const again = await readBackupFile(file, async (index, data) => {
    const table = backup.manifest.tables[index];
    if (!table) throw changed(file);
    if (skipped.includes(table.name)) return;
    const reportRows = async function* () {
      for await (const chunk of data) {
        signal?.throwIfAborted();
        onProgress?.({ step: "copy", done: loaded + data.rows, total });
        yield chunk;
      }
    };
    await copyIn(sql, table, reportRows());
    loaded += data.rows;
  });
  if (again.sha256 !== backup.sha256) throw changed(file);
}

function changed(file: string): BackupError {
  return altered(file, "it changed while it was being read");
}

/**
 * Sets the sequences to the backup's values. Sequences of skipped tables do not exist in this database and
 * are ignored.
 */
async function setSequences(sql: postgres.Sql, sequences: readonly BackupSequence[]): Promise<void> {
  for (const { name, last_value } of sequences) {
    await sql`
      SELECT setval(c.oid, ${last_value}::bigint) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND c.relkind = 'S' AND c.relname = ${name}`;
  }
}

async function giveNewEpoch(sql: postgres.Sql): Promise<string> {
  const epoch = randomUUID();
  await sql`
    INSERT INTO settings (key, value) VALUES ('epoch', to_jsonb(${epoch}::text))
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = now()`;
  return epoch;
}

/**
 * Marks every peer for a resync (BACKUP-5). A client may still have a sequence from before the restore and
 * not say which epoch it belongs to. If the schema does not have the column for this mark yet, a later
 * migration sets it from the settings.
 */
async function markPeersRestored(sql: postgres.Sql): Promise<void> {
  await sql`
    INSERT INTO settings (key, value) VALUES ('restored', to_jsonb(now()))
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = now()`;
  const [column] = await sql`
    SELECT FROM information_schema.columns
    WHERE table_schema = current_schema() AND table_name = 'peers' AND column_name = 'resync'`;
  if (column) await sql`UPDATE peers SET resync = true`;
}

/**
 * Deletes the nodes that were running at the time of the backup. Their leases would otherwise prevent brokers
 * with the new epoch from starting until the leases expire.
 */
async function deleteNodes(sql: postgres.Sql): Promise<void> {
  const [table] = await sql`
    SELECT FROM information_schema.tables WHERE table_schema = current_schema() AND table_name = 'nodes'`;
  if (table) await sql`DELETE FROM nodes`;
}

function formatTableList(tables: readonly CatalogTable[]): string {
  return tables.map(({ name }) => quoteIdentifier(name)).join(", ");
}
