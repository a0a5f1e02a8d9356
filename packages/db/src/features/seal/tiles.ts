import { recordedFieldNames } from "@merkle/wire";
import { and, asc, eq, gt, gte, lt, lte, max, sql } from "drizzle-orm";
import { documentVersions, messages, recordRests, recordTiles } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";

/** Identifies one of a session's two logs. */
export interface RecordLog {
  readonly sessionId: string;
  readonly log: "feed" | "document";
}

/** A range of integers, both ends included. */
export interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/** Number of hashes in a tile. */
export const tileHashes = 256;

const selectContentHash = (table: typeof messages | typeof documentVersions) =>
  sql`encode(coalesce(${table.contentHash}, sha256(${table.salt} || convert_to(${table.content}, 'UTF8'))), 'hex')`;

const selectMilliseconds = (column: typeof messages.postedAt | typeof documentVersions.writtenAt) =>
  sql`floor(extract(epoch FROM ${column}) * 1000)::bigint`;

/**
 * Data for a message's entry in the log: the recorded fields, with times in milliseconds, and the content's
 * hash. The content itself is included only for a private message, because its entry states the content's
 * length.
 */
const messageFacts = sql`json_build_array(${sql.join(
  recordedFieldNames.map((name) =>
    name === "posted_at" ? selectMilliseconds(messages.postedAt) : sql.identifier(name),
  ),
  sql`, `,
)}, ${selectContentHash(messages)}, CASE WHEN ${messages.content} LIKE '%"private":true%' THEN ${messages.content} END)`;

const versionFacts = sql`json_build_array(${documentVersions.version}, ${documentVersions.writtenByTeamId},
  ${documentVersions.writtenBy}, ${selectMilliseconds(documentVersions.writtenAt)}, ${documentVersions.afterSequence},
  ${selectContentHash(documentVersions)})`;

/**
 * Reads the data for a range of a log's entries, as one JSON string per tile, in order. PostgreSQL computes
 * the content hashes, so the content itself is not transferred. A worker thread parses the JSON.
 */
export async function readEntryFacts(
  db: Queryable,
  { sessionId, log }: RecordLog,
  { first, last }: NumberRange,
): Promise<string[]> {
  const [table, number, fields] =
    log === "feed"
      ? ([messages, messages.sequence, messageFacts] as const)
      : ([documentVersions, documentVersions.version, versionFacts] as const);
  const rows = await db
    .select({ facts: sql<string>`json_agg(${fields} ORDER BY ${number})::text` })
    .from(table)
    .where(and(eq(table.sessionId, sessionId), gte(number, first), lte(number, last)))
    .groupBy(sql`(${number} - 1) / ${sql.raw(String(tileHashes))}`)
    .orderBy(sql`(${number} - 1) / ${sql.raw(String(tileHashes))}`);
  return rows.map(({ facts }) => facts);
}

/**
 * The input for a content hash. The salt is null if the content was redacted. For a redacted document
 * version, the content is null as well.
 */
export interface HashedContent {
  readonly content: string | null;
  readonly salt: Uint8Array | null;
}

export async function findHashedContent(
  db: Queryable,
  { sessionId, log }: RecordLog,
  number: number,
): Promise<HashedContent | null> {
  const [row] =
    log === "feed"
      ? await db
          .select({ content: messages.content, salt: messages.salt })
          .from(messages)
          .where(and(eq(messages.sessionId, sessionId), eq(messages.sequence, number)))
      : await db
          .select({ content: documentVersions.content, salt: documentVersions.salt })
          .from(documentVersions)
          .where(and(eq(documentVersions.sessionId, sessionId), eq(documentVersions.version, number)));
  return row ?? null;
}

/** Returns the content hash of a document version, or null if the version does not exist. */
export async function readContentHash(
  db: Queryable,
  { sessionId, version }: { readonly sessionId: string; readonly version: number },
): Promise<Uint8Array | null> {
  const [row] = await db
    .select({
      hash: sql<Uint8Array>`coalesce(${documentVersions.contentHash},
      sha256(${documentVersions.salt} || convert_to(${documentVersions.content}, 'UTF8')))`,
    })
    .from(documentVersions)
    .where(and(eq(documentVersions.sessionId, sessionId), eq(documentVersions.version, version)));
  return row?.hash ?? null;
}

export interface RecordTile {
  readonly level: number;
  readonly number: number;
  readonly hashes: Uint8Array;
  readonly root: Uint8Array;
}

/** Counts a level's stored tiles. Tiles are complete and always written in order. */
export async function countTiles(
  db: Queryable,
  { sessionId, log }: RecordLog,
  level: number,
): Promise<number> {
  const [row] = await db
    .select({ last: max(recordTiles.number) })
    .from(recordTiles)
    .where(and(eq(recordTiles.sessionId, sessionId), eq(recordTiles.log, log), eq(recordTiles.level, level)));
  return (row?.last ?? -1) + 1;
}

/**
 * Stores tiles. Existing tiles are kept: a tile is derived from its log, so every writer's copy is identical.
 */
export async function keepTiles(
  db: Queryable,
  { sessionId, log }: RecordLog,
  tiles: readonly RecordTile[],
): Promise<void> {
  if (tiles.length === 0) return;
  await db
    .insert(recordTiles)
    .values(tiles.map((tile) => ({ sessionId, log, ...tile })))
    .onConflictDoNothing();
}

/** Returns the hashes of one tile, 32 bytes each, concatenated. Returns null if the tile is not stored. */
export async function findTileHashes(
  db: Queryable,
  { sessionId, log }: RecordLog,
  { level, number }: { readonly level: number; readonly number: number },
): Promise<Uint8Array | null> {
  const [row] = await db
    .select({ hashes: recordTiles.hashes })
    .from(recordTiles)
    .where(
      and(
        eq(recordTiles.sessionId, sessionId),
        eq(recordTiles.log, log),
        eq(recordTiles.level, level),
        eq(recordTiles.number, number),
      ),
    );
  return row?.hashes ?? null;
}

/** Lists the roots of a range of tiles of one level, in order. */
export async function listTileRoots(
  db: Queryable,
  { sessionId, log }: RecordLog,
  { level, first, last }: NumberRange & { readonly level: number },
): Promise<Uint8Array[]> {
  const rows = await db
    .select({ root: recordTiles.root })
    .from(recordTiles)
    .where(
      and(
        eq(recordTiles.sessionId, sessionId),
        eq(recordTiles.log, log),
        eq(recordTiles.level, level),
        gte(recordTiles.number, first),
        lte(recordTiles.number, last),
      ),
    )
    .orderBy(asc(recordTiles.number));
  return rows.map(({ root }) => root);
}

/** Stores the leaves after the last complete tile of a log with `size` entries. Existing leaves are kept. */
export async function keepRest(
  db: Queryable,
  { sessionId, log }: RecordLog,
  rest: { readonly size: number; readonly hashes: Uint8Array },
): Promise<void> {
  await db
    .insert(recordRests)
    .values({ sessionId, log, ...rest })
    .onConflictDoNothing();
}

/**
 * Returns the stored leaf hashes of a tile, 32 bytes each. If several versions of a leaf were stored, returns
 * the first. They differ if someone changed an entry behind the broker's back before a later head was signed
 * or the tile was completed.
 */
export async function findKeptLeaves(
  db: Queryable,
  { sessionId, log }: RecordLog,
  tile: number,
): Promise<Uint8Array> {
  const first = tile * tileHashes;
  const rests = await db
    .select({ hashes: recordRests.hashes })
    .from(recordRests)
    .where(
      and(
        eq(recordRests.sessionId, sessionId),
        eq(recordRests.log, log),
        gt(recordRests.size, first),
        lt(recordRests.size, first + tileHashes),
      ),
    )
    .orderBy(asc(recordRests.size));
  const complete = await findTileHashes(db, { sessionId, log }, { level: 0, number: tile });
  const kept = [...rests.map(({ hashes }) => hashes), ...(complete ? [complete] : [])];
  return kept.reduce(
    (known, hashes) => Buffer.concat([known, hashes.subarray(known.length)]),
    Buffer.alloc(0),
  );
}
