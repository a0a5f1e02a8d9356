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

/** A session's objects in the archive storage, and the state of the archive. */
export type ArchiveRow = typeof archives.$inferSelect;

export type ArchiveKey = Pick<ArchiveRow, "sessionId" | "object">;

/** Facts about an archive's two objects. They are known once the objects have been read back. */
export type StoredObjects = Pick<
  ArchiveRow,
  "bundleBytes" | "bundleSha256" | "rowsBytes" | "rowsSha256" | "archivedBy" | "archivedAt"
>;

/** Records the objects that a node is about to create, so that they can be found if the node crashes. */
export async function insertArchive(
  db: Queryable,
  row: ArchiveKey & Pick<ArchiveRow, "nodeId" | "epoch">,
): Promise<void> {
  await db.insert(archives).values({ ...row, state: "storing" });
}

const inForce = ["leaving", "away"] as const;

/** Returns the session's active archive, or null if the session's messages are in the database. */
export async function findArchive(db: Queryable, sessionId: string): Promise<ArchiveRow | null> {
  const [row] = await db
    .select()
    .from(archives)
    .where(and(eq(archives.sessionId, sessionId), inArray(archives.state, [...inForce])));
  return row ?? null;
}

/**
 * Lists unfinished archives for one session or for all. An archive is unfinished while its objects are being
 * created, or while its objects or rows still have to be deleted.
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
 * Gives up an archive whose objects are being created, so that it can no longer become active. Call before
 * deleting the objects, because a node that is presumed dead may still be creating them.
 *
 * @returns true if the objects must be deleted, false if the archive is active
 */
export async function giveUpArchive(db: Queryable, key: ArchiveKey): Promise<boolean> {
  const { count } = await db
    .update(archives)
    .set({ state: "removing" })
    .where(and(isArchive(key), inArray(archives.state, ["storing", "removing"])));
  return count > 0;
}

/** Deletes an archive's row after its objects have been deleted. */
export async function deleteArchive(db: Queryable, key: ArchiveKey): Promise<void> {
  await db.delete(archives).where(and(isArchive(key), eq(archives.state, "removing")));
}

function isArchive({ sessionId, object }: ArchiveKey): SQL | undefined {
  return and(eq(archives.sessionId, sessionId), eq(archives.object, object));
}

/** The tables whose rows are archived, with the column that numbers the rows of a session. */
const numberOf = { messages: "sequence", document_versions: "version" } as const;

export type ArchivedTable = keyof typeof numberOf;

export const archivedTables = Object.keys(numberOf) as ArchivedTable[]; // The record above has no other keys.

const page = { rowsMax: 500, bytesMax: 1024 * 1024 };

export interface StoredRows {
  /** The complete rows as a JSON array, in the form in which PostgreSQL reads and writes rows. */
  readonly json: string;
  /** The sequence or version of the page's last row. */
  readonly last: number;
}

/**
 * Reads the next page of complete rows after the row with number `after`. Returns null if there are no more
 * rows. The newest version of a document is left out, because it stays in the database.
 */
export async function readStoredRows(
  db: Queryable,
  { sessionId, of }: { readonly sessionId: string; readonly of: ArchivedTable },
  after: number,
): Promise<StoredRows | null> {
  const [table, number] = [sql.identifier(of), sql.identifier(numberOf[of])];
  const condition = sql`FROM ${table} WHERE session_id = ${sessionId} AND ${number} > ${after} ${excludeNewest(sessionId, of)}`;
  const [row] = await db.execute<{ json: string | null; last: number }>(sql`
    WITH sized AS (
      SELECT n, sum(bytes) OVER (ORDER BY n) - bytes AS bytes_before
      FROM (SELECT ${number} AS n, coalesce(octet_length(content), 0) AS bytes ${condition}
            ORDER BY ${number} LIMIT ${page.rowsMax}) p)
    SELECT json_agg(row_to_json(r) ORDER BY r.${number})::text AS json, max(r.${number})::float8 AS last
    FROM (SELECT * ${condition} AND ${number} <= (SELECT max(n) FROM sized WHERE bytes_before < ${page.bytesMax})) r`);
  return row?.json ? { json: row.json, last: row.last } : null;
}

/**
 * Excludes the document's newest version, which the document row, the signed heads and the search index still
 * need.
 */
function excludeNewest(sessionId: string, of: ArchivedTable): SQL {
  if (of === "messages") return sql``;
  return sql`AND version < (SELECT d.version FROM ${documents} d WHERE d.session_id = ${sessionId})`;
}

/**
 * Inserts rows that `readStoredRows` has read. Columns that were added to the table later get their defaults.
 */
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

/**
 * The number of messages, and the version of the document, at the time when the archive's objects were
 * created.
 */
export interface ArchivedExtent {
  readonly size: number;
  readonly documentVersion: number;
}

/**
 * Marks a session as archived. The caller's transaction must hold the lock on the session's search index
 * entry. After the commit, the feed accepts no more messages, and its rows may be deleted.
 *
 * @returns false if the archive was given up, if the session has changed since its objects were created, or
 * if a state change is still unannounced
 */
export async function markArchived(
  tx: Transaction,
  { sessionId, object }: ArchiveKey,
  { size, documentVersion }: ArchivedExtent,
  objects: StoredObjects,
): Promise<boolean> {
  const state = await lockArchive(tx, { sessionId, object });
  // "leaving" means that an earlier call marked the session, but its result did not reach the caller.
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
  // Marks the whole session as counted and indexed, because its rows will be deleted.
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

/** Maximum number of rows per statement, so that each statement stays within its limit of 5 s (DB-10). */
const rowsAtOnce = 5_000;

/**
 * Deletes a batch of an archived session's rows. Call until it returns true, which means that nothing is
 * left. Deletes the newest rows first, so that a slow reader finds either its next rows or no rows at all,
 * but never a gap.
 */
export async function deleteArchivedRows(
  tx: Transaction,
  { sessionId, object }: ArchiveKey,
): Promise<boolean> {
  if ((await lockArchive(tx, { sessionId, object })) !== "leaving") return true;
  const some = sql`LIMIT ${rowsAtOnce}`;
  const statements = [
    sql`DELETE FROM ${messageWords} WHERE session_id = ${sessionId} AND sequence IN (
      SELECT sequence FROM ${messageWords} WHERE session_id = ${sessionId} ${some})`,
    sql`DELETE FROM ${messages} WHERE session_id = ${sessionId} AND sequence IN (
      SELECT sequence FROM ${messages} WHERE session_id = ${sessionId} ORDER BY sequence DESC ${some})`,
    sql`DELETE FROM ${documentVersions} WHERE session_id = ${sessionId} AND version IN (
      SELECT version FROM ${documentVersions} WHERE session_id = ${sessionId} ${excludeNewest(sessionId, "document_versions")}
      ORDER BY version DESC ${some})`,
  ];
  for (const statement of statements) {
    const { count } = await tx.execute(statement);
    if (count > 0) return false;
  }
  await tx.update(archives).set({ state: "away" }).where(isArchive({ sessionId, object }));
  return true;
}

/** Ends an archive after the caller has restored its rows. The rows will be counted and indexed again. */
export async function endArchive(tx: Transaction, { sessionId, object }: ArchiveKey): Promise<void> {
  await tx.update(feeds).set({ archivedAt: null }).where(eq(feeds.sessionId, sessionId));
  await tx
    .update(sessions)
    .set({ bytes: 0, bytesToSequence: 0, bytesToVersion: 0 })
    .where(eq(sessions.sessionId, sessionId));
  await tx.update(searchHeads).set({ lastSequence: 0 }).where(eq(searchHeads.sessionId, sessionId));
  await tx.update(archives).set({ state: "removing" }).where(isArchive({ sessionId, object }));
}

/**
 * Locks an archive's row until the transaction ends, and returns the archive's state. Returns null if the
 * archive was deleted.
 */
export async function lockArchive(tx: Transaction, key: ArchiveKey): Promise<ArchiveRow["state"] | null> {
  const [row] = await tx.select({ state: archives.state }).from(archives).where(isArchive(key)).for("update");
  return row?.state ?? null;
}
