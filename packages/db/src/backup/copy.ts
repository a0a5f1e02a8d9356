import type { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import type postgres from "postgres";
import type { BackupTable } from "./manifest.js";

/**
 * Reads a table's rows in COPY's text format. The connection remains usable if the consumer stops early.
 *
 * @param cancel - asks the server, over another connection, to cancel the running statement
 */
export async function* copyOut(
  transaction: postgres.Sql,
  table: BackupTable,
  cancel: () => Promise<void>,
): AsyncGenerator<Buffer> {
  // Copies from a query, because COPY from a partitioned table returns no rows.
  const stream = await transaction
    .unsafe(`COPY (SELECT ${formatColumns(table)} FROM ${quoteIdentifier(table.name)}) TO STDOUT`)
    .readable();
  try {
    // Destroying the stream would leave unread data on the connection, ahead of the next reply.
    yield* stream.iterator({ destroyOnReturn: false });
  } finally {
    if (!stream.readableEnded && !stream.destroyed) await discard(stream, cancel);
    resumeSocket(stream);
  }
}

/** Writes rows in COPY's text format into a table. Resolves once the server has accepted all rows. */
export async function copyIn(
  transaction: postgres.Sql,
  table: BackupTable,
  data: AsyncIterable<Buffer>,
): Promise<void> {
  const statement = transaction.unsafe(
    `COPY ${quoteIdentifier(table.name)} (${formatColumns(table)}) FROM STDIN`,
  );
  const stream = await statement.writable();
  // An error found after the last row (a foreign key, a full disk) rejects only the statement, whose promise
  // has already resolved. Without this handler the stream would wait forever.
  Object.assign(statement, { reject: (error: Error) => stream.destroy(error) });
  await pipeline(data, stream);
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function formatColumns({ columns }: BackupTable): string {
  return columns.map(quoteIdentifier).join(", ");
}

async function discard(stream: Readable, cancel: () => Promise<void>): Promise<void> {
  const ended = finished(stream).catch(() => undefined);
  stream.resume();
  // Cancelling only saves time: without it, the stream would end at the end of the table.
  await cancel().catch(() => undefined);
  await ended;
}

/**
 * Resumes the socket. The driver pauses it while the stream is full and resumes it when the stream asks for
 * more data. After the last row, the stream does not ask again, so the server's next reply would never be
 * read.
 */
function resumeSocket(stream: Readable): void {
  try {
    stream._read(0);
  } catch {
    // The socket is closed. The next statement will fail with a clearer error.
  }
}
