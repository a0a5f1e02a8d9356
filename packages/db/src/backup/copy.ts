import type { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type postgres from "postgres";
import type { BackupTable } from "./manifest.js";

/**
 * Reads a table's rows in the text format of COPY. A reader that leaves early gets a connection that can be used again.
 *
 * @param cancel - asks the server, over another connection, to end the running statement
 */
export async function* copyOut(
  transaction: postgres.Sql,
  table: BackupTable,
  cancel: () => Promise<void>,
): AsyncGenerator<Buffer> {
  // From a query, because COPY from a table gives nothing of a partitioned one.
  const stream = await transaction
    .unsafe(`COPY (SELECT ${columnList(table)} FROM ${identifier(table.name)}) TO STDOUT`)
    .readable();
  try {
    // A destroyed stream would leave the rest of the answer in the way of the next statement.
    yield* stream.iterator({ destroyOnReturn: false });
  } finally {
    if (!stream.readableEnded && !stream.destroyed) await discard(stream, cancel);
    resumeSocket(stream);
  }
}

/** Writes rows in the text format of COPY into a table, and resolves when the server has taken them all. */
export async function copyIn(
  transaction: postgres.Sql,
  table: BackupTable,
  data: AsyncIterable<Buffer>,
): Promise<void> {
  const statement = transaction.unsafe(`COPY ${identifier(table.name)} (${columnList(table)}) FROM STDIN`);
  const stream = await statement.writable();
  // An error that the server finds after the last row (a foreign key, a full disk) reaches only the statement, which is
  // resolved already. Without this the stream would wait for ever.
  Object.assign(statement, { reject: (error: Error) => stream.destroy(error) });
  await pipeline(data, stream);
}

export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function columnList({ columns }: BackupTable): string {
  return columns.map(identifier).join(", ");
}

async function discard(stream: Readable, cancel: () => Promise<void>): Promise<void> {
  const ended = finished(stream).catch(() => undefined);
  stream.resume();
  // Without it all the same happens, only later: at the end of the table.
  await cancel().catch(() => undefined);
  await ended;
}

/**
 * The driver pauses its socket while the stream is full, and goes on when the stream asks for more; after the last row it
 * never asks, and what the server said next would stay unread.
 */
function resumeSocket(stream: Readable): void {
  try {
    stream._read(0);
  } catch {
    // The socket is gone, which the next statement tells better.
  }
}
