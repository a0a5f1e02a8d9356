import { createHash, randomBytes } from "node:crypto";
import { access, type FileHandle, link, open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { isPosix } from "../files/platform.js";
import { explainFileError, fileExists } from "./backup-error.js";
import type { BackupManifest, BackupTrailer, TableRows } from "./manifest.js";

/** Maximum size of one piece of a table's data. Bounds the memory that a reader needs. */
export const frameBytesMax = 1 << 20;

/** The data that goes into a backup. */
export interface BackupContent {
  readonly manifest: BackupManifest;
  /** Returns the rows of one table in COPY's text format, in chunks of any size. */
  readTable(index: number): AsyncIterable<Buffer>;
  /** Called often, with the number of rows written so far. */
  onRows?: ((rows: number) => void) | undefined;
}

export interface WrittenBackup {
  readonly tables: readonly TableRows[];
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Writes a backup. The data is first written to a temporary file in the same folder, readable only by its
 * owner. The file is renamed once it is complete and on disk. If anything fails, no file is left.
 *
 * A backup is a gzip stream of:
 *
 * 1. One line of JSON: the `BackupManifest`.
 * 2. For each table, in order: pieces of its rows in PostgreSQL's COPY text format. Each piece is preceded by
 * its length in four bytes (big-endian, at most 1 MiB). A length of zero ends the table.
 * 3. One line of JSON: the `BackupTrailer`, with each table's row count and the SHA-256 of all bytes of parts
 * 1 and 2.
 *
 * The hash detects accidents. It is not a signature: anyone who can write the file can write a matching hash.
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
  let written = 0;

  async function* generatePieces(): AsyncGenerator<Buffer> {
    yield updateHash(encodeLine(content.manifest));
    for (const [index, { name }] of content.manifest.tables.entries()) {
      let rows = 0;
      for await (const chunk of content.readTable(index)) {
        for (let start = 0; start < chunk.length; start += frameBytesMax) {
          const data = chunk.subarray(start, start + frameBytesMax);
          yield updateHash(encodeLength(data.length));
          yield updateHash(data);
        }
        const count = countRows(chunk);
        rows += count;
        written += count;
        content.onRows?.(written);
      }
      yield updateHash(encodeLength(0));
      tables.push({ name, rows });
    }
    sha256 = hash.digest("hex");
    yield encodeLine({ rows: tables.map(({ rows }) => rows), sha256 } satisfies BackupTrailer);
  }
  function updateHash(bytes: Buffer): Buffer {
    hash.update(bytes);
    return bytes;
  }

  const source = generatePieces();
  try {
    await pipeline(source, createGzip(), async (compressed: AsyncIterable<Buffer>) => {
      for await (const chunk of compressed) await handle.writeFile(chunk);
    });
  } finally {
    // If writing fails, for example on a full disk, waits until reading has ended too, so that the connection
    // remains usable.
    await source.return(undefined);
  }
  return { tables, sha256 };
}

/** Counts rows by their line breaks. COPY's text format escapes line breaks within values. */
export function countRows(chunk: Buffer): number {
  let rows = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1;
  return rows;
}

/**
 * Renames the file to its final name. If an existing file must not be overwritten, uses a hard link, which,
 * unlike a rename, fails if another process has taken the name in the meantime.
 */
async function giveName(partial: string, file: string, overwrite: boolean): Promise<void> {
  if (overwrite) {
    await rename(partial, file);
  } else {
    await link(partial, file).catch(async (error: unknown) => {
      if (await exists(file)) throw error;
      // Some file systems, such as those on USB sticks, do not support hard links.
      await rename(partial, file);
    });
  }
  await syncFolder(dirname(resolve(file)));
}

/**
 * Flushes the folder to disk, so that the new file name survives a crash. Windows cannot open a folder, and
 * does not need this.
 */
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

function encodeLine(value: BackupManifest | BackupTrailer): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function encodeLength(bytes: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(bytes);
  return buffer;
}
