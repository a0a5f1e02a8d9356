import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import {
  type ArchivedTable,
  archivedTables,
  type Database,
  insertStoredRows,
  readStoredRows,
  type Transaction,
} from "@merkle/db";
import { readLines } from "@merkle/wire/record";
import { retryWhileLost } from "../../core/retry-while-lost.js";

/**
 * Maximum length of a line in an archive file. A page of rows contains up to 1 MiB of text, or a single longer
 * row, and JSON can use six bytes per character.
 */
const lineBytesMax = 32 * 1024 * 1024;

/**
 * Writes the archived rows of a session as gzipped lines: the table's name, a space, and a JSON list of
 * complete rows.
 */
export async function* writeStoredRows(
  database: Pick<Database, "orm">,
  sessionId: string,
): AsyncGenerator<Uint8Array> {
  const gzip = createGzip();
  const writing = pipeline(formatRowLines(database, sessionId), gzip);
  writing.catch(() => undefined);
  yield* gzip;
  await writing;
}

async function* formatRowLines({ orm }: Pick<Database, "orm">, sessionId: string): AsyncGenerator<string> {
  for (const table of archivedTables) {
    for (let after = 0; ; ) {
      const rows = await retryWhileLost(() => readStoredRows(orm, { sessionId, of: table }, after));
      if (!rows) break;
      yield `${table} ${rows.json.replaceAll("\n", " ")}\n`;
      after = rows.last;
    }
  }
}

/** Inserts the rows of an archive file into their tables. */
export async function restoreRows(tx: Transaction, path: string): Promise<void> {
  const file = createReadStream(path);
  const lines = createGunzip();
  const reading = pipeline(file, lines);
  reading.catch(() => undefined);
  for await (const line of readLines(lines, lineBytesMax)) {
    const at = line.indexOf(" ");
    await insertStoredRows(tx, toTable(line.slice(0, at)), line.slice(at + 1));
  }
  await reading;
}

function toTable(name: string): ArchivedTable {
  const table = archivedTables.find((each) => each === name);
  if (table) return table;
  throw new TypeError(`Archives have no rows of ${name}.`);
}
