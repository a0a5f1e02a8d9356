import { and, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import {
  archives,
  documents,
  documentVersions,
  feeds,
  messages,
  messageWords,
  searchHeads,
  sessions,
  stateEntries,
} from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/** The objects of a session on the archive's storage, and how far it has come with them. */
export type ArchiveRow = typeof archives.$inferSelect;

export type ArchiveKey = Pick<ArchiveRow, "sessionId" | "object">;

/** What is known of both objects once they were read back. */
export type StoredObjects = Pick<
  ArchiveRow,
  "bundleBytes" | "bundleSha256" | "rowsBytes" | "rowsSha256" | "archivedBy" | "archivedAt"
>;

/** Notes which objects a node begins to make, so that they can be found whatever becomes of it. */
export async function insertArchive(
  db: Queryable,
  row: ArchiveKey & Pick<ArchiveRow, "nodeId" | "epoch">,
): Promise<void> {
  await db.insert(archives).values({ ...row, state: "storing" });
}

const inForce = ["leaving", "away"] as const;

/** The archive that a session is in; null where its messages are here. */
export async function findArchive(db: Queryable, sessionId: string): Promise<ArchiveRow | null> {
  const [row] = await db
    .select()
    .from(archives)
    .where(and(eq(archives.sessionId, sessionId), inArray(archives.state, [...inForce])));
  return row ?? null;
}

/** The archives whose work is not over, of a session or of all: what is made, what is yet to be deleted here, or there. */
export async function listUnfinishedArchives(db: Queryable, sessionId?: string): Promise<ArchiveRow[]> {
  return db
    .select()
    .from(archives)
    .where(
      and(
        sessionId === undefined ? undefined : eq(archives.sessionId, sessionId),
        ne(archives.state, "away"),
      ),
    )
    .orderBy(archives.sessionId, archives.object)
    .limit(1_000);
}

/**
 * Gives up objects that were being made: from here on nothing can make them an archive in force. To be called before they are
 * deleted, since a node that was taken for dead may still be at it.
 *
 * @returns whether they are to be deleted; not if they are in force
 */
export async function giveUpArchive(db: Queryable, key: ArchiveKey): Promise<boolean> {
  const { count } = await db
    .update(archives)
    .set({ state: "removing" })
    .where(and(isArchive(key), inArray(archives.state, ["storing", "removing"])));
  return count > 0;
}

/** Forgets objects that are deleted. */
export async function deleteArchive(db: Queryable, key: ArchiveKey): Promise<void> {
  await db.delete(archives).where(and(isArchive(key), eq(archives.state, "removing")));
}

function isArchive({ sessionId, object }: ArchiveKey): SQL | undefined {
  return and(eq(archives.sessionId, sessionId), eq(archives.object, object));
}

/** The tables whose rows an archive has, each with the column that numbers them. */
const numberOf = { messages: "sequence", document_versions: "version" } as const;

export type ArchivedTable = keyof typeof numberOf;

export const archivedTables = Object.keys(numberOf) as ArchivedTable[]; // The keys of a record of ours.

const page = { rowsMax: 500, bytesMax: 1024 * 1024 };

export interface StoredRows {
  /** A JSON list of rows with all their columns, as PostgreSQL writes and reads them. */
  readonly json: string;
  /** The number of the last of them. */
  readonly last: number;
}

/** Reads rows forward as they are, column by column; null after the last. The newest version of a document stays, and is none of them. */
export async function readStoredRows(
  db: Queryable,
  { sessionId, of }: { readonly sessionId: string; readonly of: ArchivedTable },
  after: number,
): Promise<StoredRows | null> {
  const [table, number] = [sql.identifier(of), sql.identifier(numberOf[of])];
  const wanted = sql`FROM ${table} WHERE session_id = ${sessionId} AND ${number} > ${after} ${unlessNewest(sessionId, of)}`;
  const [row] = await db.execute<{ json: string | null; last: number }>(sql`
    WITH sized AS (
      SELECT n, sum(bytes) OVER (ORDER BY n) - bytes AS bytes_before
      FROM (SELECT ${number} AS n, coalesce(octet_length(content), 0) AS bytes ${wanted}
            ORDER BY ${number} LIMIT ${page.rowsMax}) p)
    SELECT json_agg(row_to_json(r) ORDER BY r.${number})::text AS json, max(r.${number})::float8 AS last
    FROM (SELECT * ${wanted} AND ${number} <= (SELECT max(n) FROM sized WHERE bytes_before < ${page.bytesMax})) r`);
  return row?.json ? { json: row.json, last: row.last } : null;
}

/** It is what the document says, and what its head and searches name. */
function unlessNewest(sessionId: string, of: ArchivedTable): SQL {
  if (of === "messages") return sql``;
  return sql`AND version < (SELECT d.version FROM ${documents} d WHERE d.session_id = ${sessionId})`;
}

/** Stores rows that were read so. A column that there was not yet gets its default. */
export async function insertStoredRows(tx: Transaction, of: ArchivedTable, json: string): Promise<void> {
  const table = sql.identifier(of);
  const [first]: readonly Record<string, unknown>[] = JSON.parse(json);
  const columns = sql.join(
    Object.keys(first ?? {}).map((name) => sql.identifier(name)),
    sql`, `,
  );
  await tx.execute(sql`
    INSERT INTO ${table} (${columns})
    SELECT ${columns} FROM json_populate_recordset(NULL::${table}, ${json}::text::json)`);
}

/** How far a record reached when its objects were made. */
export interface ArchivedExtent {
  readonly size: number;
  readonly documentVersion: number;
}

/**
 * Marks a session as archived, in the transaction that holds its place in the index of searches. From the commit on nothing is
 * added to its feed, and its rows may go.
 *
 * @returns whether it is: not if its objects were given up, anything was added meanwhile, or an event of its state is still to come
 */
export async function markArchived(
  tx: Transaction,
  { sessionId, object }: ArchiveKey,
  { size, documentVersion }: ArchivedExtent,
  objects: StoredObjects,
): Promise<boolean> {
  const state = await holdArchive(tx, { sessionId, object });
  // An attempt whose end nobody was told has marked it.
  if (state !== "storing") return state === "leaving";
  const at = objects.archivedAt?.toISOString();
  const marked = await tx.execute(sql`
    UPDATE ${feeds} f SET archived_at = ${at}::timestamptz
    WHERE f.session_id = ${sessionId} AND f.closed_at IS NOT NULL AND f.archived_at IS NULL AND f.last_sequence = ${size}
      AND EXISTS (SELECT FROM ${documents} d WHERE d.session_id = f.session_id AND d.version = ${documentVersion})
      AND NOT EXISTS (SELECT FROM ${stateEntries} e WHERE e.scope_id = f.session_id AND e.announced_version < e.version)`);
  if (marked.count === 0) return false;
  await tx
    .update(archives)
    .set({ ...objects, state: "leaving" })
    .where(isArchive({ sessionId, object }));
  // Nothing is left to be counted or indexed.
  await tx
    .update(sessions)
    .set({ bytes: 0, bytesToSequence: size, bytesToVersion: documentVersion })
    .where(eq(sessions.sessionId, sessionId));
  await tx
    .update(searchHeads)
    .set({ lastSequence: sql`greatest(${searchHeads.lastSequence}, ${size})` })
    .where(eq(searchHeads.sessionId, sessionId));
  return true;
}

/** A statement has 5 s (DB-10). */
const rowsAtOnce = 5_000;

/**
 * Deletes some rows of an archived session, and says whether that was all. To be called until it is. The newest go first: a reader
 * that was let in before, and was held up, finds what comes next for it or nothing, and never a gap.
 */
export async function deleteArchivedRows(
  tx: Transaction,
  { sessionId, object }: ArchiveKey,
): Promise<boolean> {
  if ((await holdArchive(tx, { sessionId, object })) !== "leaving") return true;
  const some = sql`LIMIT ${rowsAtOnce}`;
  const statements = [
    sql`DELETE FROM ${messageWords} WHERE session_id = ${sessionId} AND sequence IN (
      SELECT sequence FROM ${messageWords} WHERE session_id = ${sessionId} ${some})`,
    sql`DELETE FROM ${messages} WHERE session_id = ${sessionId} AND sequence IN (
      SELECT sequence FROM ${messages} WHERE session_id = ${sessionId} ORDER BY sequence DESC ${some})`,
    sql`DELETE FROM ${documentVersions} WHERE session_id = ${sessionId} AND version IN (
      SELECT version FROM ${documentVersions} WHERE session_id = ${sessionId} ${unlessNewest(sessionId, "document_versions")}
      ORDER BY version DESC ${some})`,
  ];
  for (const statement of statements) {
    const { count } = await tx.execute(statement);
    if (count > 0) return false;
  }
  await tx.update(archives).set({ state: "away" }).where(isArchive({ sessionId, object }));
  return true;
}

/** Ends an archive whose rows the caller has stored again. Its bytes and words are counted and indexed anew. */
export async function endArchive(tx: Transaction, { sessionId, object }: ArchiveKey): Promise<void> {
  await tx.update(feeds).set({ archivedAt: null }).where(eq(feeds.sessionId, sessionId));
  await tx
    .update(sessions)
    .set({ bytes: 0, bytesToSequence: 0, bytesToVersion: 0 })
    .where(eq(sessions.sessionId, sessionId));
  await tx.update(searchHeads).set({ lastSequence: 0 }).where(eq(searchHeads.sessionId, sessionId));
  await tx.update(archives).set({ state: "removing" }).where(isArchive({ sessionId, object }));
}

/** Holds an archive until the transaction ends, and returns its state; null where it is gone. */
export async function holdArchive(tx: Transaction, key: ArchiveKey): Promise<ArchiveRow["state"] | null> {
  const [held] = await tx
    .select({ state: archives.state })
    .from(archives)
    .where(isArchive(key))
    .for("update");
  return held?.state ?? null;
}
