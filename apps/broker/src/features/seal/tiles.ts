import {
  countTiles,
  findTileHashes,
  keepTiles,
  listTileRoots,
  type NumberRange,
  type Queryable,
  type RecordLog,
  type RecordTile,
  readEntryFacts,
  tileHashes,
} from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { ReadSubtrees, Subtree } from "@merkle/wire/record";
import type { WorkerPool } from "../../core/workers/workers.js";
import { type HashedEntries, hashEntriesTask, rootOver } from "./hash-entries.js";

/** One of a session's logs, with the session id that appears in its entries. */
export interface NamedLog extends RecordLog {
  readonly recordId: string;
}

export interface LogReader {
  /** The connection pool, or a transaction that locks the rows it reads. */
  readonly db: Queryable;
  readonly workers: WorkerPool;
}

/**
 * Each hash of one level covers 2^8 hashes of the level below, so the root of a tile is a hash of the level
 * above.
 */
const tileHeight = Math.log2(tileHashes);
/**
 * Number of tiles that are read and hashed together: enough to keep a thread busy, but within the statement
 * timeout.
 */
const tilesAtOnce = 8;
/**
 * Time limit for hashing. It is generous because other work may occupy the threads, and a late seal is better
 * than a failed one.
 */
const hashMsMax = 60_000;

/**
 * Stores every tile that the first `size` entries of a log fill (SEAL-6). Stored tiles are not read again, so
 * only new entries are hashed. Concurrent runs are harmless, even on several nodes, because a tile depends
 * only on its log.
 *
 * @throws conflict if entries are missing
 */
export async function completeTiles(reader: LogReader, log: NamedLog, size: number): Promise<void> {
  let complete = Math.floor(size / tileHashes);
  if (complete === 0) return;
  await hashTiles(reader, log, { from: await countTiles(reader.db, log, 0), to: complete });
  for (let level = 1; complete >= tileHashes; level += 1) {
    complete = Math.floor(complete / tileHashes);
    await joinTiles(reader.db, log, { level, from: await countTiles(reader.db, log, level), to: complete });
  }
}

async function hashTiles(
  reader: LogReader,
  log: NamedLog,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  const toRange = (tile: number): NumberRange => ({
    first: tile * tileHashes + 1,
    last: Math.min(tile + tilesAtOnce, to) * tileHashes,
  });
  let reading = from < to ? readAhead(reader.db, log, toRange(from)) : null;
  for (let tile = from; reading !== null; tile += tilesAtOnce) {
    const facts = await reading;
    // While a worker thread hashes this range, the database already hashes the content of the next range.
    reading = tile + tilesAtOnce < to ? readAhead(reader.db, log, toRange(tile + tilesAtOnce)) : null;
    const { parts } = await hashFacts(reader, log, toRange(tile), facts);
    const tiles = parts.map((part, index): RecordTile => ({ level: 0, number: tile + index, ...part }));
    await keepTiles(reader.db, log, tiles);
  }
}

function readAhead(db: Queryable, log: NamedLog, range: NumberRange): Promise<string[]> {
  const reading = readEntryFacts(db, log, range);
  // Prevents an unhandled rejection if an earlier step fails first.
  reading.catch(() => undefined);
  return reading;
}

async function joinTiles(
  db: Queryable,
  log: NamedLog,
  { level, from, to }: { readonly level: number; readonly from: number; readonly to: number },
): Promise<void> {
  for (let number = from; number < to; number += 1) {
    const first = number * tileHashes;
    const roots = await listTileRoots(db, log, { level: level - 1, first, last: first + tileHashes - 1 });
    await keepTiles(db, log, [{ level, number, hashes: Buffer.concat(roots), root: rootOver(roots) }]);
  }
}

/**
 * Returns a function that reads subtree hashes. It uses stored tiles, and hashes entries that are not in a
 * stored tile.
 */
export function createSubtreeReader(reader: LogReader, log: NamedLog): ReadSubtrees {
  return async (subtrees) => {
    const positions = subtrees.map(toPosition);
    const hashesByTile = new Map<string, Promise<Uint8Array[]>>();
    for (const { level, tile } of positions) {
      const key = `${level}/${tile}`;
      if (hashesByTile.has(key)) continue;
      // Reads each tile only once, up to the last hash that any of the subtrees needs.
      const ends = positions
        .filter((each) => each.level === level && each.tile === tile)
        .map((each) => each.end);
      hashesByTile.set(key, readHashes(reader, log, { level, tile, end: Math.max(...ends) }));
    }
    return Promise.all(
      positions.map(async ({ level, tile, start, end }) => {
        const hashes = (await hashesByTile.get(`${level}/${tile}`)) ?? [];
        return rootOver(hashes.slice(start, end));
      }),
    );
  };
}

/** The position of a subtree's hashes: level, tile, and the range from `start` to `end` (exclusive). */
interface TilePosition {
  readonly level: number;
  readonly tile: number;
  readonly start: number;
  readonly end: number;
}

function toPosition({ start, height }: Subtree): TilePosition {
  const level = Math.floor(height / tileHeight);
  const first = start / tileHashes ** level;
  const tile = Math.floor(first / tileHashes);
  const within = first - tile * tileHashes;
  return { level, tile, start: within, end: within + 2 ** (height - level * tileHeight) };
}

/** Returns the first `end` hashes of a tile, whether the tile is stored or not. */
async function readHashes(
  reader: LogReader,
  log: NamedLog,
  { level, tile, end }: Pick<TilePosition, "level" | "tile" | "end">,
): Promise<Uint8Array[]> {
  const stored = await findTileHashes(reader.db, log, { level, number: tile });
  if (stored) return cutHashes(stored).slice(0, end);
  const first = tile * tileHashes;
  if (level > 0) return listTileRoots(reader.db, log, { level: level - 1, first, last: first + end - 1 });
  const { parts } = await readLeaves(reader, log, { first: first + 1, last: first + end });
  return parts.flatMap(({ hashes }) => cutHashes(hashes));
}

/** Hashes a log's entries as currently stored. */
export async function readLeaves(
  reader: LogReader,
  log: NamedLog,
  range: NumberRange,
): Promise<HashedEntries> {
  return hashFacts(reader, log, range, await readEntryFacts(reader.db, log, range));
}

async function hashFacts(
  { workers }: LogReader,
  { log, recordId }: NamedLog,
  range: NumberRange,
  facts: readonly string[],
): Promise<HashedEntries> {
  const hashed = await workers.run(
    hashEntriesTask,
    { log, recordId, ...range, facts },
    { timeoutMs: hashMsMax },
  );
  if (hashed.missing !== null) throw missingEntry(log, hashed.missing);
  return hashed;
}

function cutHashes(joined: Uint8Array): Uint8Array[] {
  return Array.from({ length: joined.length / 32 }, (_, index) =>
    joined.subarray(index * 32, index * 32 + 32),
  );
}

export function missingEntry(log: NamedLog["log"], number: number): MerkleError {
  const what = log === "feed" ? `message ${number}` : `version ${number} of the document`;
  return new MerkleError(
    "conflict",
    `The record is damaged: ${what} is missing from the database. Nothing was signed. Restore an earlier backup, or export the session and verify the export.`,
    { missing: number, log },
  );
}
