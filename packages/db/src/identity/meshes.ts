import { asc, eq, inArray, sql } from "drizzle-orm";
import { feeds, members, meshes, peers, sessions, teams } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

export interface MeshRow {
  readonly meshId: string;
  readonly name: string;
  readonly createdAt: Date;
}

const columns = { meshId: meshes.meshId, name: meshes.name, createdAt: meshes.createdAt };

/** Every mesh of the broker, the oldest first. */
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

/** False when another mesh has the name, in whatever case. */
export async function insertMesh(tx: Transaction, mesh: MeshRow): Promise<boolean> {
  // The rows are few, and none is ever deleted: who holds them all sees every name.
  await tx.execute(sql`LOCK TABLE ${meshes} IN SHARE ROW EXCLUSIVE MODE`);
  if (await findMesh(tx, { name: mesh.name })) return false;
  await tx.insert(meshes).values(mesh);
  return true;
}

interface MeshCounts {
  readonly sessions: number;
  /** Those who were revoked are not counted. */
  readonly members: number;
  /** Peers of agents that were seen since then, as was last saved, and have not left. */
  readonly peersOnline: number;
}

/** How much each of these meshes has. */
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

/** Written in full, since the query builder leaves the table out of what it selects from one table. */
const ofMesh = sql.raw('"meshes"."mesh_id"');

/** The mesh of a session, or null where there is no such session. */
export async function findMeshOfSession(db: Queryable, sessionId: string): Promise<string | null> {
  const [row] = await db
    .select({ meshId: sessions.meshId })
    .from(sessions)
    .where(eq(sessions.sessionId, sessionId));
  return row?.meshId ?? null;
}

export interface StorageFacts {
  /** The bytes that the database takes on its disk. */
  readonly bytes: number;
  readonly openSessions: number;
}

export async function readStorageFacts(db: Queryable, meshId: string): Promise<StorageFacts> {
  const [row] = await db.execute<{ bytes: string; open: number }>(sql`
    SELECT pg_database_size(current_database()) AS bytes,
           (SELECT count(*)::int FROM ${feeds} f JOIN ${sessions} s USING (session_id)
            WHERE s.mesh_id = ${meshId} AND f.closed_at IS NULL) AS open`);
  return { bytes: Number(row?.bytes ?? 0), openSessions: row?.open ?? 0 };
}
