import { and, desc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { heads, logEntries, meshLogs, sessions } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import type { HeadRow } from "../seal/feature.js";

/** Identifies the log of a mesh. A restore begins a new epoch, and therefore a new log. */
export interface LogKey {
  readonly meshId: string;
  readonly epoch: string;
}

export interface MeshLogRow {
  readonly size: number;
  /** The key that signs checkpoints, as the entries announced it last. */
  readonly keyId: string;
}

export async function findMeshLog(db: Queryable, log: LogKey): Promise<MeshLogRow | null> {
  const [row] = await db
    .select({ size: meshLogs.size, keyId: meshLogs.keyId })
    .from(meshLogs)
    .where(and(eq(meshLogs.meshId, log.meshId), eq(meshLogs.epoch, log.epoch)));
  return row ?? null;
}

/** Begins a log, unless another node has begun it. */
export async function beginMeshLog(db: Queryable, { meshId, epoch }: LogKey, keyId: string): Promise<void> {
  await db.insert(meshLogs).values({ meshId, epoch, size: 0, keyId }).onConflictDoNothing();
}

/** Lists heads that a log does not have yet, at most `most`. Heads of imported sessions belong to other epochs. */
export async function listHeadsToLog(
  db: Queryable,
  { meshId, epoch }: LogKey,
  most: number,
): Promise<HeadRow[]> {
  const rows = await db
    .select({ head: heads })
    .from(heads)
    .innerJoin(sessions, eq(sessions.sessionId, heads.sessionId))
    .where(and(eq(heads.epoch, epoch), isNull(heads.logIndex), eq(sessions.meshId, meshId)))
    .limit(most);
  return rows.map(({ head }) => head);
}

export interface NewLogEntry {
  readonly text: string;
  readonly subtrees: Uint8Array;
  /** The head that the entry contains. Null for an entry of another kind. */
  readonly head: HeadRow | null;
}

/**
 * Appends entries to a log of `before.size` entries, and notes the index of each head. One statement does it all, so
 * that of two nodes one appends nothing, and indexes have no gaps.
 *
 * @returns false if the log has grown meanwhile
 */
export async function appendLogEntries(
  db: Queryable,
  { meshId, epoch }: LogKey,
  before: MeshLogRow,
  { keyId, entries }: { readonly keyId: string; readonly entries: readonly NewLogEntry[] },
): Promise<boolean> {
  const rows = entries.map(({ text, subtrees, head }, offset) => ({
    index: before.size + offset,
    text,
    subtrees: Buffer.from(subtrees).toString("hex"),
    session_id: head?.sessionId ?? null,
    size: head?.size ?? null,
    document_version: head?.documentVersion ?? null,
    key_id: head?.keyId ?? null,
    about: head && Buffer.from(head.about).toString("hex"),
  }));
  const { count } = await db.execute(sql`
    WITH grown AS (
      UPDATE mesh_logs SET size = size + ${rows.length}::bigint, key_id = ${keyId}
      WHERE mesh_id = ${meshId} AND epoch = ${epoch} AND size = ${before.size}::bigint
      RETURNING mesh_id, epoch
    ), added AS (
      SELECT grown.mesh_id, grown.epoch, a.* FROM grown, jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
        AS a (index bigint, text text, subtrees text, session_id uuid, size bigint, document_version integer, key_id text,
              about text)
    ), logged AS (
      UPDATE heads h SET log_index = a.index FROM added a
      WHERE h.session_id = a.session_id AND h.size = a.size AND h.document_version = a.document_version
        AND h.key_id = a.key_id AND h.about = decode(a.about, 'hex')
    )
    INSERT INTO log_entries (mesh_id, epoch, index, text, subtrees)
    SELECT mesh_id, epoch, index, text, decode(subtrees, 'hex') FROM added`);
  return count > 0;
}

/** Reads the texts of entries, from an index on, at most `limit`. */
export async function listLogEntries(
  db: Queryable,
  { meshId, epoch }: LogKey,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<string[]> {
  const rows = await db
    .select({ text: logEntries.text })
    .from(logEntries)
    .where(
      and(
        eq(logEntries.meshId, meshId),
        eq(logEntries.epoch, epoch),
        sql`${logEntries.index} >= ${from}::bigint`,
        sql`${logEntries.index} < ${from + limit}::bigint`,
      ),
    )
    .orderBy(logEntries.index);
  return rows.map(({ text }) => text);
}

/**
 * Reads the roots of the complete subtrees that end with each of these entries, from its leaf upwards, 32 bytes
 * each. The result is keyed by the entry's index.
 */
export async function readLogSubtrees(
  db: Queryable,
  { meshId, epoch }: LogKey,
  indexes: readonly number[],
): Promise<ReadonlyMap<number, Uint8Array>> {
  if (indexes.length === 0) return new Map();
  const rows = await db.execute<{ index: number; subtrees: Uint8Array }>(sql`
    SELECT index::float8 AS index, subtrees FROM log_entries
    WHERE mesh_id = ${meshId} AND epoch = ${epoch}
      AND index = ANY (ARRAY[${sql.join(
        indexes.map((index) => sql`${index}::bigint`),
        sql`, `,
      )}])`);
  return new Map(rows.map(({ index, subtrees }) => [index, subtrees]));
}

export interface LoggedHead {
  readonly head: HeadRow;
  readonly index: number;
}

/** Finds the newest head of a session that the log of this epoch has, or the newest of its conclusions. */
export async function findLoggedHead(
  db: Queryable,
  {
    sessionId,
    epoch,
    isSeal,
  }: { readonly sessionId: string; readonly epoch: string; readonly isSeal: boolean },
): Promise<LoggedHead | null> {
  const [row] = await db
    .select()
    .from(heads)
    .where(
      and(
        eq(heads.sessionId, sessionId),
        eq(heads.epoch, epoch),
        isNotNull(heads.logIndex),
        isSeal ? eq(heads.sealed, true) : undefined,
      ),
    )
    .orderBy(desc(heads.size), desc(heads.documentVersion), desc(heads.at))
    .limit(1);
  return row && row.logIndex !== null ? { head: row, index: row.logIndex } : null;
}

/**
 * Lists open sessions of a mesh with messages or document versions that no head covers, the one that waits longest
 * first. Only sessions with a message after `since` are looked at.
 */
export async function listSessionsToSign(
  db: Queryable,
  { meshId, since, most }: { readonly meshId: string; readonly since: Date; readonly most: number },
): Promise<string[]> {
  const rows = await db.execute<{ sessionId: string }>(sql`
    SELECT f.session_id AS "sessionId"
    FROM feeds f
    JOIN sessions s ON s.session_id = f.session_id
    JOIN documents d ON d.session_id = f.session_id
    WHERE s.mesh_id = ${meshId} AND s.origin_id IS NULL AND f.closed_at IS NULL AND f.archived_at IS NULL
      AND f.last_posted_at > ${since.toISOString()}::timestamptz
      AND NOT EXISTS (
        SELECT FROM heads h
        WHERE h.session_id = f.session_id AND h.size = f.last_sequence AND h.document_version = d.version
      )
    ORDER BY f.last_posted_at LIMIT ${most}`);
  return rows.map(({ sessionId }) => sessionId);
}
