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

/** A session's objects in the archive storage, and the state of the archiving. */
export type ArchiveRow = typeof archives.$inferSelect;

export type ArchiveKey = Pick<ArchiveRow, "sessionId" | "object">;

/** Facts about an archive's two objects, known once they have been read back. */
export type StoredObjects = Pick<
  ArchiveRow,
  "bundleBytes" | "bundleSha256" | "rowsBytes" | "rowsSha256" | "archivedBy" | "archivedAt"
>;

/** Records the objects that a node is about to create, so that they can be found after a crash. */
export async function insertArchive(
  db: Queryable,
  row: ArchiveKey & Pick<ArchiveRow, "nodeId" | "epoch">,
): Promise<void> {
  await db.insert(archives).values({ ...row, state: "storing" });
}

const inForce = ["leaving", "away"] as const;

/** Returns the session's active archive, or null if its messages are in the database. */
export async function findArchive(db: Queryable, sessionId: string): Promise<ArchiveRow | null> {
  const [row] = await db
    .select()
    .from(archives)
    .where(and(eq(archives.sessionId, sessionId), inArray(archives.state, [...inForce])));
  return row ?? null;
}

/**
 * Lists unfinished archives, of one session or of all: objects being created, and objects or rows still to be
 * deleted.
 */
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
 * Gives up objects that are being created. After this, they cannot become an active archive. Call before
 * deleting the objects, because a node presumed dead may still be working on them.
 *
 * @returns true if the objects must be deleted, false if they are an active archive
 */
export async function giveUpArchive(db: Queryable, key: ArchiveKey): Promise<boolean> {
  const { count } = await db
    .update(archives)
    .set({ state: "removing" })
    .where(and(isArchive(key), inArray(archives.state, ["storing", "removing"])));
  return count > 0;
}

/** Deletes the row of objects that have been deleted. */
export async function deleteArchive(db: Queryable, key: ArchiveKey): Promise<void> {
  await db.delete(archives).where(and(isArchive(key), eq(archives.state, "removing")));
}

function isArchive({ sessionId, object }: ArchiveKey): SQL | undefined {
  return and(eq(archives.sessionId, sessionId), eq(archives.object, object));
}

/** The tables whose rows are archived, each with the column that numbers the rows. */
const numberOf = { messages: "sequence", document_versions: "version" } as const;

export type ArchivedTable = keyof typeof numberOf;

export const archivedTables = Object.keys(numberOf) as ArchivedTable[]; // The record above has no other keys.

const page = { rowsMax: 500, bytesMax: 1024 * 1024 };

export interface StoredRows {
  /** A JSON array of complete rows, in the form that PostgreSQL writes and reads. */
  readonly json: string;
  /** Number of the last row. */
  readonly last: number;
}

/**
 * Reads a page of complete rows after `after`. Returns null after the last row. The newest version of a
 * document is not included, because it stays in the database.
 */
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

/** Excludes the newest version, which the document, its head and the search index use. */
function unlessNewest(sessionId: string, of: ArchivedTable): SQL {
  if (of === "messages") return sql``;
  return sql`AND version < (SELECT d.version FROM ${documents} d WHERE d.session_id = ${sessionId})`;
}

/** Inserts rows read by `readStoredRows`. Columns added since then get their defaults. */
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

/** The size of a record when its objects were created. */
export interface ArchivedExtent {
  readonly size: number;
  readonly documentVersion: number;
}

/**
 * Marks a session as archived. The caller's transaction must hold the lock on the session's search index
 * entry. After the commit, the feed accepts no messages and its rows may be deleted.
 *
 * @returns false if the objects were given up, if the session has changed since, or if an event of its state
 * is still unannounced
 */
export async function markArchived(
  tx: Transaction,
  { sessionId, object }: ArchiveKey,
  { size, documentVersion }: ArchivedExtent,
  objects: StoredObjects,
): Promise<boolean> {
  const state = await holdArchive(tx, { sessionId, object });
  // An earlier attempt has marked it, but its result did not reach the caller.
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
  // Marks the whole session as counted and indexed, because its rows are about to be deleted.
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

/** Keeps each statement within its limit of 5 s (DB-10). */
const rowsAtOnce = 5_000;

/**
 * Deletes a batch of rows of an archived session. Returns true if nothing is left. Call until it returns
 * true. The newest rows are deleted first: a reader that started earlier and was delayed finds either its
 * next rows or none, and never a gap.
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

/**
 * Ends an archive after the caller has restored its rows. Their bytes and words are counted and indexed
 * again.
 */
export async function endArchive(tx: Transaction, { sessionId, object }: ArchiveKey): Promise<void> {
  await tx.update(feeds).set({ archivedAt: null }).where(eq(feeds.sessionId, sessionId));
  await tx
    .update(sessions)
    .set({ bytes: 0, bytesToSequence: 0, bytesToVersion: 0 })
    .where(eq(sessions.sessionId, sessionId));
  await tx.update(searchHeads).set({ lastSequence: 0 }).where(eq(searchHeads.sessionId, sessionId));
  await tx.update(archives).set({ state: "removing" }).where(isArchive({ sessionId, object }));
}

/** Locks an archive until the transaction ends and returns its state, or null if it was deleted. */
export async function holdArchive(tx: Transaction, key: ArchiveKey): Promise<ArchiveRow["state"] | null> {
  const [held] = await tx
    .select({ state: archives.state })
    .from(archives)
    .where(isArchive(key))
    .for("update");
  return held?.state ?? null;
}
