import { createHash } from "node:crypto";
import { type FileKey, insertChunk, type Queryable, readChunk } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { Piece, ReadAt } from "./images/byte-reader.js";

/** Returns a reader of a stored file that holds one chunk in memory. */
export function createChunkReader(db: Queryable, file: FileKey): ReadAt {
  let chunk: { readonly start: number; readonly bytes: Uint8Array } | null = null;

  async function getChunk(offset: number): Promise<typeof chunk> {
    const isInside = chunk !== null && offset >= chunk.start && offset < chunk.start + chunk.bytes.length;
    if (!isInside) chunk = await readChunk(db, file, offset);
    return chunk;
  }

  return async (offset, length) => {
    const parts: Uint8Array[] = [];
    let next = offset;
    while (next < offset + length) {
      const current = await getChunk(next);
      if (!current) break;
      const part = current.bytes.subarray(next - current.start, offset + length - current.start);
      parts.push(part);
      next += part.length;
    }
    const [first] = parts;
    return parts.length === 1 && first ? first : Buffer.concat(parts);
  };
}

/** Reads a range of a stored file in parts of at most one chunk. The range's end is exclusive. */
export async function* readRange(readAt: ReadAt, from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let offset = from; offset < to; ) {
    const bytes = await readAt(offset, Math.min(limits.fileChunkBytes, to - offset));
    if (bytes.length === 0) throw new Error("A stored file has fewer bytes than its size says.");
    yield bytes;
    offset += bytes.length;
  }
}

/** Reads the pieces of a cleaned image from the file that they were found in. */
export async function* readPieces(readAt: ReadAt, pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else yield* readRange(readAt, piece.from, piece.to);
  }
}

export function countPieceBytes(pieces: readonly Piece[]): number {
  return pieces.reduce(
    (sum, piece) => sum + (piece instanceof Uint8Array ? piece.length : piece.to - piece.from),
    0,
  );
}

export async function hashBytes(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const hash = createHash("sha256");
  for await (const part of bytes) hash.update(part);
  return hash.digest();
}

/** Joins small parts, so that each result has the size of a chunk, except the last. */
export async function* fillChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (let part of bytes) {
    while (size + part.length >= limits.fileChunkBytes) {
      const rest = limits.fileChunkBytes - size;
      yield Buffer.concat([...parts, part.subarray(0, rest)]);
      part = part.subarray(rest);
      parts = [];
      size = 0;
    }
    if (part.length > 0) {
      parts.push(part);
      size += part.length;
    }
  }
  if (size > 0) yield Buffer.concat(parts);
}

/** Stores bytes as the chunks of a file. */
export async function writeChunks(
  db: Queryable,
  file: FileKey,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  let start = 0;
  for await (const chunk of fillChunks(bytes)) {
    await insertChunk(db, file, { start, bytes: chunk });
    start += chunk.length;
  }
}
