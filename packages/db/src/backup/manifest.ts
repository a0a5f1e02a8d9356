import { isObject } from "@merkle/wire";
import { BackupError } from "./backup-error.js";

/** The first characters of every backup file, in this format version and in all later ones. */
/** How much of a backup or a restore is done. */
export interface BackupProgress {
  /** `check`: the file is read to its end before anything changes. `copy`: rows are copied. */
  readonly step: "check" | "copy";
  /** Bytes of the file in `check`, rows in `copy`. */
  readonly done: number;
  /** Null if it is not known. For a backup it is an estimate. */
  readonly total: number | null;
}

export const backupStart = '{"format":"merkle-backup"';

/** The first line of a backup file. */
export interface BackupManifest {
  readonly format: "merkle-backup";
  readonly version: 1;
  readonly created_at: string;
  /** Version of Merkle that made the backup. Null if unknown. */
  readonly merkle_version: string | null;
  readonly server_version: string;
  /** Epoch of the database that was backed up. A restore sets a new one. */
  readonly epoch: string;
  /** Timestamps of the migrations that had run, oldest first. A migration is identified by its timestamp. */
  readonly migrations: readonly number[];
  /** Tables in the order of their data in the file: each comes after the tables that it refers to. */
  readonly tables: readonly BackupTable[];
  readonly sequences: readonly BackupSequence[];
}

export interface BackupTable {
  readonly name: string;
  /** Columns other than generated ones, which the database computes itself. */
  readonly columns: readonly string[];
}

export interface BackupSequence {
  readonly name: string;
  /** A decimal string, because the value may exceed JavaScript's safe integers. */
  readonly last_value: string;
}

export interface TableRows {
  readonly name: string;
  readonly rows: number;
}

/** The last line of a backup file. */
export interface BackupTrailer {
  readonly rows: readonly number[];
  /** Hash of all bytes before the last line. */
  readonly sha256: string;
}

export function parseManifest(line: string, file: string): BackupManifest {
  const value = parseObject(line);
  if (!value) throw altered(file, "its first line is damaged");
  if (typeof value["version"] === "number" && value["version"] > 1) {
    throw new BackupError(
      "newer_format",
      `The backup ${file} was written by a newer Merkle: its format is ${value["version"]}, and this version reads format 1. Restore it with the newer version.`,
    );
  }
  const manifest = toManifest(value);
  if (!manifest) throw altered(file, "its first line is damaged");
  return manifest;
}

export function parseTrailer(line: string, file: string): BackupTrailer {
  const { rows, sha256 } = parseObject(line) ?? {};
  if (!isListOf(rows, isCount) || !isText(sha256)) throw altered(file, "its last line is damaged");
  return { rows, sha256 };
}

export function notABackup(file: string, cause?: unknown): BackupError {
  return new BackupError(
    "not_a_backup",
    `The file ${file} is not a Merkle backup. Choose a file written by merkle backup.`,
    { cause },
  );
}

export function altered(file: string, how: string, cause?: unknown): BackupError {
  return new BackupError(
    "altered",
    `The backup ${file} is damaged: ${how}. Nothing was restored. Use another copy of the backup.`,
    { cause },
  );
}

export function truncated(file: string, cause?: unknown): BackupError {
  return new BackupError(
    "truncated",
    `The backup ${file} is incomplete: its end is missing. Nothing was restored. Copy it again, or use another backup.`,
    { cause },
  );
}

type JsonObject = Readonly<Record<string, unknown>>;

function toManifest(value: JsonObject): BackupManifest | undefined {
  const { version, created_at, merkle_version, server_version, epoch, migrations, tables, sequences } = value;
  if (version !== 1 || !isText(created_at) || !isText(server_version) || !isText(epoch)) return undefined;
  if (merkle_version !== null && !isText(merkle_version)) return undefined;
  if (!isListOf(migrations, isCount) || !isListOf(tables, isTable)) return undefined;
  if (!isListOf(sequences, isSequence)) return undefined;
  return {
    format: "merkle-backup",
    version,
    created_at,
    merkle_version,
    server_version,
    epoch,
    migrations,
    tables,
    sequences,
  };
}

function parseObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const isCount = (value: unknown): value is number => Number.isSafeInteger(value);
const isListOf = <Item>(value: unknown, isItem: (item: unknown) => item is Item): value is Item[] =>
  Array.isArray(value) && value.every(isItem);
const isTable = (value: unknown): value is BackupTable =>
  isObject(value) && isText(value["name"]) && isListOf(value["columns"], isText);
const isSequence = (value: unknown): value is BackupSequence =>
  isObject(value) &&
  isText(value["name"]) &&
  isText(value["last_value"]) &&
  /^-?\d+$/.test(value["last_value"]);
