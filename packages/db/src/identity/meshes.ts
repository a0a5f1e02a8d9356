import type { QuotaKind } from "@merkle/wire";
import { asc, eq, inArray, sql } from "drizzle-orm";

import {
  documents,
  documentVersions,
  feeds,
  members,
  meshes,
  messages,
  peers,
  sessions,
  teams,
} from "../core/schema.js";

import type { Queryable, Transaction } from "../core/transactions.js";

export interface MeshRow {
  readonly meshId: string;
  readonly name: string;
  readonly createdAt: Date;
}

const columns = { meshId: meshes.meshId, name: meshes.name, createdAt: meshes.createdAt };

/** Lists all meshes of this broker, oldest first. */
export async function listMeshRows(db: Queryable): Promise<MeshRow[]> {
  return db.select(columns).from(meshes).orderBy(asc(meshes.createdAt), asc(meshes.name));
}

export async function findMesh(
  db: Queryable,
  by: { id: string } | { name: string },
): Promise<MeshRow | null> {
  const [row] = await db
    .select(columns)
    .from(meshes)
    .where("id" in by ? eq(meshes.meshId, by.id) : sql`lower(${meshes.name}) = lower(${by.name})`);
  return row ?? null;
}

/** Inserts a mesh. Returns false if another mesh has the same name, ignoring case. */
export async function insertMesh(tx: Transaction, mesh: MeshRow): Promise<boolean> {
  // The lock makes sure that the check sees every name. The table is small, and its rows are never deleted.
  await tx.execute(sql`LOCK TABLE ${meshes} IN SHARE ROW EXCLUSIVE MODE`);
  if (await findMesh(tx, { name: mesh.name })) return false;
  await tx.insert(meshes).values(mesh);
  return true;
}

interface MeshCounts {
  readonly sessions: number;
  /** Number of members, except revoked ones. */
  readonly members: number;
  /**
   * Number of agents' peers that have not left and were last seen at or after `seenSince`. The last save may
   * lag behind.
   */
  readonly peersOnline: number;
}

/** Counts the sessions, members and online peers of each mesh. */
export async function countInMeshes(
  db: Queryable,
  meshIds: readonly string[],
  seenSince: Date,
): Promise<Map<string, MeshCounts>> {
  if (meshIds.length === 0) return new Map();
  const rows = await db
    .select({
      meshId: meshes.meshId,
      sessions: sql<number>`(SELECT count(*)::int FROM ${sessions} WHERE ${sessions.meshId} = ${ofMesh})`,
      members: sql<number>`(SELECT count(*)::int FROM ${members}
        WHERE ${members.meshId} = ${ofMesh} AND ${members.revokedAt} IS NULL)`,
      peersOnline: sql<number>`(SELECT count(*)::int FROM ${peers} p
        JOIN ${sessions} s ON s.session_id = p.session_id JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id
        WHERE s.mesh_id = ${ofMesh} AND t.kind = 'agent' AND p.left_at IS NULL AND t.left_at IS NULL
          AND p.last_seen_at > ${seenSince.toISOString()}::timestamptz)`,
    })
    .from(meshes)
    .where(inArray(meshes.meshId, [...meshIds]));
  return new Map(rows.map((row) => [row.meshId, row]));
}

/**
 * Written with its table name, because the query builder omits table names when it selects from a single
 * table.
 */
const ofMesh = sql.raw('"meshes"."mesh_id"');

/** A mesh that has quotas, with those quotas. */
export interface MeshQuotas {
  readonly meshId: string;
  readonly quotas: Readonly<Partial<Record<QuotaKind, number>>>;
}

/** Lists the quotas of all meshes that have any. */
export async function listMeshQuotas(db: Queryable): Promise<MeshQuotas[]> {
  const rows = await db
    .select({ meshId: meshes.meshId, quotas: meshes.quotas })
    .from(meshes)
    .where(sql`${meshes.quotas} <> '{}'`);
  return rows.map(({ meshId, quotas }) => ({ meshId, quotas: Object(quotas) }));
}

/** Sets the given quotas and removes those that are null. Returns all quotas that the mesh then has. */
export async function mergeMeshQuotas(
  tx: Transaction,
  meshId: string,
  quotas: Partial<Record<QuotaKind, number | null>>,
): Promise<MeshQuotas["quotas"]> {
  const [row] = await tx
    .update(meshes)
    .set({ quotas: sql`jsonb_strip_nulls(${meshes.quotas} || ${JSON.stringify(quotas)}::text::jsonb)` })
    .where(eq(meshes.meshId, meshId))
    .returning({ quotas: meshes.quotas });
  return Object(row?.quotas);
}

export interface HeldInMesh {
  readonly sessions: number;
  readonly messages: number;
  readonly bytes: number;
}

/**
 * Counts a mesh's open sessions and messages, and adds up the bytes of messages and document versions that
 * have been counted so far.
 */
export async function countHeldInMesh(db: Queryable, meshId: string): Promise<HeldInMesh> {
  const [row] = await db.execute<{ sessions: string; messages: string; bytes: string }>(sql`
    SELECT count(*) FILTER (WHERE f.closed_at IS NULL) AS sessions,
           coalesce(sum(f.last_sequence) FILTER (WHERE f.archived_at IS NULL), 0) AS messages, coalesce(sum(s.bytes), 0) AS bytes
    FROM ${sessions} s JOIN ${feeds} f ON f.session_id = s.session_id
    WHERE s.mesh_id = ${meshId}`);
  return {
    sessions: Number(row?.sessions ?? 0),
    messages: Number(row?.messages ?? 0),
    bytes: Number(row?.bytes ?? 0),
  };
}

/** Lists a mesh's sessions that have messages or document versions whose bytes have not been counted yet. */
export async function listUncounted(db: Queryable, meshId: string, limit: number): Promise<string[]> {
  const rows = await db.execute<{ session_id: string }>(sql`
    SELECT s.session_id
    FROM ${sessions} s JOIN ${feeds} f ON f.session_id = s.session_id JOIN ${documents} d ON d.session_id = s.session_id
    WHERE s.mesh_id = ${meshId} AND (f.last_sequence > s.bytes_to_sequence OR d.version > s.bytes_to_version)
    LIMIT ${limit}`);
  return rows.map((row) => row.session_id);
}

/**
 * Counts a batch of a session's bytes that have not been counted yet. If two callers race, the second one
 * finds the batch already counted.
 */
export async function countBytes(db: Queryable, sessionId: string): Promise<void> {
  await db.execute(sql`
    UPDATE ${sessions} s SET
      bytes = s.bytes + n.bytes, bytes_to_sequence = n.to_sequence, bytes_to_version = n.to_version
    FROM (
      SELECT old.bytes_to_sequence AS from_sequence, old.bytes_to_version AS from_version,
             greatest(old.bytes_to_sequence, m.last) AS to_sequence, greatest(old.bytes_to_version, v.last) AS to_version,
             m.bytes + v.bytes AS bytes
      FROM ${sessions} old
      CROSS JOIN LATERAL (
        SELECT coalesce(max(m.sequence), 0) AS last, coalesce(sum(octet_length(m.content)), 0) AS bytes
        FROM ${messages} m WHERE m.session_id = old.session_id
          AND m.sequence > old.bytes_to_sequence AND m.sequence <= old.bytes_to_sequence + 10000) m
      CROSS JOIN LATERAL (
        SELECT coalesce(max(v.version), 0) AS last, coalesce(sum(octet_length(v.content)), 0) AS bytes
        FROM ${documentVersions} v WHERE v.session_id = old.session_id
          AND v.version > old.bytes_to_version AND v.version <= old.bytes_to_version + 100) v
      WHERE old.session_id = ${sessionId}) n
    WHERE s.session_id = ${sessionId}
      AND s.bytes_to_sequence = n.from_sequence AND s.bytes_to_version = n.from_version`);
}

/** Returns the id of the mesh that a session belongs to, or null if the session does not exist. */
export async function findMeshOfSession(db: Queryable, sessionId: string): Promise<string | null> {
  const [row] = await db
    .select({ meshId: sessions.meshId })
    .from(sessions)
    .where(eq(sessions.sessionId, sessionId));
  return row?.meshId ?? null;
}

export interface StorageFacts {
  /** Size of the database on disk. */
  readonly bytes: number;
  readonly openSessions: number;
}

/** Returns the size of the database on disk, in bytes. */
export async function measureDatabase(db: Queryable): Promise<number> {
  const [row] = await db.execute<{ bytes: string }>(
    sql`SELECT pg_database_size(current_database()) AS bytes`,
  );
  return Number(row?.bytes ?? 0);
}

export async function readStorageFacts(db: Queryable, meshId: string): Promise<StorageFacts> {
  const [row] = await db.execute<{ bytes: string; open: number }>(sql`
    SELECT pg_database_size(current_database()) AS bytes,
           (SELECT count(*)::int FROM ${feeds} f JOIN ${sessions} s USING (session_id)
            WHERE s.mesh_id = ${meshId} AND f.closed_at IS NULL) AS open`);
  return { bytes: Number(row?.bytes ?? 0), openSessions: row?.open ?? 0 };
}
