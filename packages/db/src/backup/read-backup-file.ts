import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { explainFileError } from "./backup-error.js";
import {
  altered,
  type BackupManifest,
  backupStart,
  notABackup,
  parseManifest,
  parseTrailer,
  type TableRows,
  truncated,
} from "./manifest.js";
import { countRows, frameBytesMax } from "./write-backup-file.js";

/** Maximum length of a line. Enough to list thousands of tables or sequences. */
const lineBytesMax = 4 << 20;

/** A backup that was read to its end and whose hash is correct. */
export interface VerifiedBackup {
  readonly manifest: BackupManifest;
  readonly tables: readonly TableRows[];
  readonly sha256: string;
}

/** The rows of one table in COPY's text format, in chunks of any size, and the number of rows read so far. */
export interface TableRowsData extends AsyncIterable<Buffer> {
  readonly rows: number;
}

/**
 * Called with the rows of each table, in the order of the manifest. Rows that the callback does not read are
 * skipped.
 */
export type TakeTable = (index: number, data: TableRowsData) => Promise<void>;

/**
 * Reads a backup's first line, which says what the file contains. The rest of the file is not read.
 *
 * @throws BackupError if the file is missing, not a backup, or in a newer format
 */
export async function readBackupManifest(file: string): Promise<BackupManifest> {
  return readFile(file, undefined, (bytes) => readManifest(bytes, file));
}

/**
 * Reads a backup from start to end. Rejects unless the whole file is intact. Only one or two chunks are in
 * memory at any time.
 *
 * @param take - receives each table before the file has been verified; if `readBackupFile` rejects, the
 * caller must undo what `take` did
 * @param onBytes - called often, with the number of bytes of the file read so far
 * @throws BackupError if the file is missing, not a backup, in a newer format, incomplete or altered
 */
export async function readBackupFile(
  file: string,
  take: TakeTable = ignore,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<VerifiedBackup> {
  return readFile(file, onBytes, async (bytes) => {
    const manifest = await readManifest(bytes, file);
    const tables: TableRows[] = [];
    for (const [index, { name }] of manifest.tables.entries()) {
      const data = new TableData(bytes, file);
      await take(index, data);
      for await (const _ of data);
      tables.push({ name, rows: data.rows });
    }
    const sha256 = bytes.sha256();
    const trailer = parseTrailer(await bytes.readLine(), file);
    if (trailer.sha256 !== sha256) throw altered(file, "its SHA-256 does not match");
    if (tables.some(({ rows }, index) => rows !== trailer.rows[index])) {
      throw altered(file, "its row counts do not match its contents");
    }
    if (!(await bytes.isAtEnd())) throw altered(file, "it has extra data after its end");
    return { manifest, tables, sha256 };
  });
}

async function ignore(): Promise<void> {}

async function readManifest(bytes: ByteReader, file: string): Promise<BackupManifest> {
  if (!(await bytes.beginWith(backupStart))) throw notABackup(file);
  return parseManifest(await bytes.readLine(), file);
}

async function readFile<Result>(
  file: string,
  onBytes: ((bytes: number) => void) | undefined,
  read: (bytes: ByteReader) => Promise<Result>,
): Promise<Result> {
  const compressed = createReadStream(file);
  if (onBytes) compressed.on("data", () => onBytes(compressed.bytesRead));
  // File errors reach the consumer of `bytes`. The pipeline's last step is a plain function, because the
  // pipeline would wait for an async function to read everything.
  const source = pipeline(compressed, createGunzip(), () => undefined);
  try {
    return await read(new ByteReader(source, file));
  } catch (error) {
    throw explain(error, file);
  } finally {
    source.destroy();
  }
}

function explain(error: unknown, file: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "Z_BUF_ERROR") return truncated(file, error);
  if (code !== "Z_DATA_ERROR") return explainFileError(error, file);
  // zlib's error message for a file that is not compressed.
  const isForeign = error instanceof Error && error.message === "incorrect header check";
  return isForeign ? notABackup(file, error) : altered(file, "its compression is damaged", error);
}

/** The rows of one table, counted while they are read. If one consumer stops early, another can continue. */
class TableData implements TableRowsData {
  readonly #bytes: ByteReader;
  readonly #file: string;
  #hasEnded = false;
  rows = 0;

  constructor(bytes: ByteReader, file: string) {
    this.#bytes = bytes;
    this.#file = file;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    while (!this.#hasEnded) {
      const length = (await this.#bytes.readExactly(4)).readUInt32BE();
      if (length > frameBytesMax) throw altered(this.#file, "a record is longer than the format allows");
      this.#hasEnded = length === 0;
      if (this.#hasEnded) return;
      const data = await this.#bytes.readExactly(length);
      this.rows += countRows(data);
      yield data;
    }
  }
}

/** Reads exact numbers of bytes from chunks of any size, and hashes the bytes read. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #file: string;
  readonly #hash = createHash("sha256");
  #buffer: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>, file: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#file = file;
  }

  /** Returns true if the next bytes are `text`, or if the file ends within it. */
  async beginWith(text: string): Promise<boolean> {
    const expected = Buffer.from(text);
    let start = Buffer.alloc(0);
    while (start.length < expected.length && (await this.#fill()))
      start = Buffer.concat([start, this.#buffer]);
    this.#buffer = start;
    return start.length > 0 && expected.subarray(0, start.length).equals(start.subarray(0, expected.length));
  }

  async readExactly(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0; ) {
      if (this.#buffer.length === 0 && !(await this.#fill())) throw truncated(this.#file);
      const part = this.#take(missing);
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Returns the next line without its line break. */
  async readLine(): Promise<string> {
    const parts: Buffer[] = [];
    for (let length = 0; length < lineBytesMax; ) {
      if (this.#buffer.length === 0 && !(await this.#fill())) throw truncated(this.#file);
      const end = this.#buffer.indexOf(10);
      const part = this.#take(end === -1 ? this.#buffer.length : end + 1);
      parts.push(part);
      length += part.length;
      if (end !== -1) return Buffer.concat(parts).toString("utf8", 0, length - 1);
    }
    throw altered(this.#file, "a line is cut off");
  }

  async isAtEnd(): Promise<boolean> {
    return this.#buffer.length === 0 && !(await this.#fill());
  }

  /** Returns the hash of all bytes read so far. */
  sha256(): string {
    return this.#hash.copy().digest("hex");
  }

  #take(lengthMax: number): Buffer {
    const part = this.#buffer.subarray(0, lengthMax);
    this.#buffer = this.#buffer.subarray(part.length);
    this.#hash.update(part);
    return part;
  }

  async #fill(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done === true) return false;
    this.#buffer = next.value;
    return true;
  }
}
