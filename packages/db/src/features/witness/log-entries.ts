import { and, desc, eq, isNotNull, isNull, notExists, sql } from "drizzle-orm";
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

/** A head that takes longer than this from its signature to its row is left to the next head. */
const storedWithin = sql`interval '1 hour'`;

/**
 * Lists heads that a log does not have yet, oldest first, at most `most`. Reads heads only from about the newest one
 * in the log on. The heads of imported sessions are of other logs.
 */
export async function listHeadsToLog(db: Queryable, log: LogKey, most: number): Promise<HeadRow[]> {
  const [newest] = await db
    .select({ signedAt: logEntries.signedAt })
    .from(logEntries)
    .where(and(isLog(log), isNotNull(logEntries.signedAt)))
    .orderBy(desc(logEntries.index))
    .limit(1);
  const since = newest?.signedAt
    ? sql`${heads.at} > ${newest.signedAt.toISOString()}::timestamptz - ${storedWithin}`
    : undefined;
  const logged = db
    .select({ one: sql`1` })
    .from(logEntries)
    .where(and(isLog(log), eq(logEntries.signature, heads.signature)));
  const rows = await db
    .select({ head: heads })
    .from(heads)
    .innerJoin(sessions, eq(sessions.sessionId, heads.sessionId))
    .where(
      and(
        eq(heads.epoch, log.epoch),
        since,
        eq(sessions.meshId, log.meshId),
        isNull(sessions.originId),
        notExists(logged),
      ),
    )
    .orderBy(heads.at, heads.size, heads.documentVersion)
    .limit(most);
  return rows.map(({ head }) => head);
}

function isLog({ meshId, epoch }: LogKey) {
  return and(eq(logEntries.meshId, meshId), eq(logEntries.epoch, epoch));
}

export interface NewLogEntry {
  readonly text: string;
  readonly subtrees: Uint8Array;
  /** The head that the entry contains. Null for an entry of another kind. */
  readonly head: HeadRow | null;
}

/**
 * Appends entries to a log of `before.size` entries. One statement does it all, so that of two nodes one appends
 * nothing, and indexes have no gaps.
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
    signature: head && Buffer.from(head.signature).toString("hex"),
    signed_at: head?.at.toISOString() ?? null,
    subtrees: Buffer.from(subtrees).toString("hex"),
  }));
  const { count } = await db.execute(sql`
    WITH grown AS (
      UPDATE mesh_logs SET size = size + ${rows.length}::bigint, key_id = ${keyId}
      WHERE mesh_id = ${meshId} AND epoch = ${epoch} AND size = ${before.size}::bigint
      RETURNING mesh_id, epoch
    )
    INSERT INTO log_entries (mesh_id, epoch, index, text, signature, signed_at, subtrees)
    SELECT grown.mesh_id, grown.epoch, a.index, a.text, decode(a.signature, 'hex'), a.signed_at, decode(a.subtrees, 'hex')
    FROM grown, jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      AS a (index bigint, text text, signature text, signed_at timestamptz, subtrees text)`);
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

/** Finds the newest head of a session that the log has, or the newest of its conclusions. */
export async function findLoggedHead(
  db: Queryable,
  log: LogKey,
  { sessionId, isSeal }: { readonly sessionId: string; readonly isSeal: boolean },
): Promise<LoggedHead | null> {
  const [row] = await db
    .select({ head: heads, index: logEntries.index })
    .from(heads)
    .innerJoin(logEntries, and(isLog(log), eq(logEntries.signature, heads.signature)))
    .where(and(eq(heads.sessionId, sessionId), isSeal ? eq(heads.sealed, true) : undefined))
    .orderBy(desc(heads.size), desc(heads.documentVersion), desc(heads.at))
    .limit(1);
  return row ?? null;
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
