import { createHash, randomBytes } from "node:crypto";
import { access, type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { isPosix } from "../files/platform.js";
import { explainFileError, fileExists } from "./backup-error.js";
import type { BackupManifest, BackupTrailer, TableRows } from "./manifest.js";

/** Longer pieces of a table's data are split, so that a reader never holds more than this. */
export const frameBytesMax = 1 << 20;

/** The sources of a backup. */
export interface BackupContent {
  readonly manifest: BackupManifest;
  /** The rows of one table in PostgreSQL's text format for COPY, cut anywhere. */
  readTable(index: number): AsyncIterable<Buffer>;
  onProgress?: ((table: string, rows: number) => void) | undefined;
}

export interface WrittenBackup {
  readonly tables: readonly TableRows[];
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Writes a backup. It is made under a temporary name beside `file`, readable for its owner alone, and gets its name when
 * it is complete and on the disk; when anything fails, nothing is left.
 *
 * A backup is a gzip stream of
 *
 * 1. one line of JSON: the `BackupManifest`;
 * 2. for each of its tables, in its order: pieces of the table's rows in PostgreSQL's text format for COPY, each after
 *    its length in four bytes (big-endian, at most 1 MiB), and a length of zero as the end;
 * 3. one line of JSON: the `BackupTrailer`, with the number of rows of each table, and the SHA-256 of every byte of 1
 *    and 2.
 *
 * The hash finds accidents. It is no signature: who can write the file can write another hash.
 */
export async function writeBackupFile(
  file: string,
  overwrite: boolean,
  content: BackupContent,
): Promise<WrittenBackup> {
  if (!overwrite && (await exists(file))) throw fileExists(file);
  const partial = `${file}.${randomBytes(6).toString("hex")}.partial`;
  try {
    const handle = await open(partial, "wx", 0o600);
    try {
      const written = await writeContent(handle, content);
      await handle.sync();
      const { size } = await handle.stat();
      await handle.close();
      await giveName(partial, file, overwrite);
      return { ...written, bytes: size };
    } finally {
      await handle.close();
      await rm(partial, { force: true });
    }
  } catch (error) {
    throw explainFileError(error, file);
  }
}

async function writeContent(
  handle: FileHandle,
  content: BackupContent,
): Promise<{ tables: TableRows[]; sha256: string }> {
  const tables: TableRows[] = [];
  const hash = createHash("sha256");
  let sha256 = "";

  async function* pieces(): AsyncGenerator<Buffer> {
    yield hashed(line(content.manifest));
    for (const [index, { name }] of content.manifest.tables.entries()) {
      let rows = 0;
      for await (const chunk of content.readTable(index)) {
        for (let start = 0; start < chunk.length; start += frameBytesMax) {
          const data = chunk.subarray(start, start + frameBytesMax);
          yield hashed(length(data.length));
          yield hashed(data);
        }
        rows += countRows(chunk);
        content.onProgress?.(name, rows);
      }
      yield hashed(length(0));
      tables.push({ name, rows });
    }
    sha256 = hash.digest("hex");
    yield line({ rows: tables.map(({ rows }) => rows), sha256 } satisfies BackupTrailer);
  }
  function hashed(bytes: Buffer): Buffer {
    hash.update(bytes);
    return bytes;
  }

  const source = pieces();
  try {
    await pipeline(source, createGzip(), async (compressed: AsyncIterable<Buffer>) => {
      for await (const chunk of compressed) await handle.writeFile(chunk);
    });
  } finally {
    // When the disk is full the reading of a table ends too, and has left its connection usable, before we go on.
    await source.return(undefined);
  }
  return { tables, sha256 };
}

/** In COPY's text format a line break within a value is written as `\n`, so each one ends a row. */
export function countRows(chunk: Buffer): number {
  let rows = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1;
  return rows;
}

/** A link fails when the name is taken, where a rename would replace the file of somebody who was faster. */
async function giveName(partial: string, file: string, overwrite: boolean): Promise<void> {
  if (overwrite) {
    await rename(partial, file);
  } else {
    await link(partial, file).catch(async (error: unknown) => {
      if (await exists(file)) throw error;
      // Some file systems, those of memory sticks among them, have no links.
      await rename(partial, file);
    });
  }
  await syncFolder(dirname(resolve(file)));
}

/** Brings the name to the disk. Windows cannot open a folder, and needs no such step. */
async function syncFolder(folder: string): Promise<void> {
  if (!isPosix()) return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function line(value: BackupManifest | BackupTrailer): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function length(bytes: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(bytes);
  return buffer;
}
