import { and, asc, eq, inArray, isNull, lt, or, sql } from "drizzle-orm";
import { feeds, mcpSessions, mcpSessionTeams, peers, sessions, teams } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

export interface McpSessionKey {
  readonly meshId: string;
  readonly idHash: Uint8Array;
}

export async function insertMcpSession(
  db: Queryable,
  key: McpSessionKey,
  initialize: unknown,
): Promise<void> {
  await db
    .insert(mcpSessions)
    .values({ ...key, initialize })
    .onConflictDoNothing();
}

/** Returns the parameters that an MCP session was opened with, and records that the session is in use. */
export async function touchMcpSession(
  db: Queryable,
  { meshId, idHash }: McpSessionKey,
): Promise<{ initialize: unknown } | null> {
  const [row] = await db
    .update(mcpSessions)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(mcpSessions.meshId, meshId), eq(mcpSessions.idHash, idHash)))
    .returning({ initialize: mcpSessions.initialize });
  return row ?? null;
}

export async function deleteMcpSession(db: Queryable, { meshId, idHash }: McpSessionKey): Promise<void> {
  await db.delete(mcpSessions).where(and(eq(mcpSessions.meshId, meshId), eq(mcpSessions.idHash, idHash)));
}

const cancelledRequestsMax = 20;

/** Records that a client has cancelled a request that another node is processing. */
export async function addCancelled(
  db: Queryable,
  { meshId, idHash }: McpSessionKey,
  request: string | number,
): Promise<void> {
  const text = JSON.stringify(request);
  await db
    .update(mcpSessions)
    .set({
      cancelled: sql`
        (CASE WHEN jsonb_array_length(${mcpSessions.cancelled}) >= ${cancelledRequestsMax} THEN ${mcpSessions.cancelled} - 0 ELSE ${mcpSessions.cancelled} END)
        || jsonb_build_object('request', ${text}::text::jsonb, 'at', now())`,
    })
    .where(and(eq(mcpSessions.meshId, meshId), eq(mcpSessions.idHash, idHash)));
}

/**
 * Lists the requests of an MCP session that were cancelled within the last `withinSeconds` seconds. Returns
 * null if the MCP session has ended.
 */
export async function listCancelled(
  db: Queryable,
  { meshId, idHash }: McpSessionKey,
  withinSeconds: number,
): Promise<(string | number)[] | null> {
  const [row] = await db
    .select({
      requests: sql<(string | number)[]>`COALESCE((
        SELECT jsonb_agg(c->'request') FROM jsonb_array_elements(${mcpSessions.cancelled}) AS c
        WHERE (c->>'at')::timestamptz > now() - make_interval(secs => ${withinSeconds})), '[]')`,
    })
    .from(mcpSessions)
    .where(and(eq(mcpSessions.meshId, meshId), eq(mcpSessions.idHash, idHash)));
  return row?.requests ?? null;
}

/**
 * Stores the credential of the team that an MCP session uses in a Merkle session. Replaces an earlier team.
 */
export async function saveMcpSessionTeam(
  db: Queryable | Transaction,
  key: McpSessionKey,
  sessionId: string,
  sealedCredential: Uint8Array,
): Promise<void> {
  await db
    .insert(mcpSessionTeams)
    .values({ ...key, sessionId, sealedCredential })
    .onConflictDoUpdate({
      target: [mcpSessionTeams.meshId, mcpSessionTeams.idHash, mcpSessionTeams.sessionId],
      set: { sealedCredential },
    });
}

export async function listMcpSessionTeams(
  db: Queryable,
  { meshId, idHash }: McpSessionKey,
): Promise<{ sessionId: string; sealedCredential: Uint8Array }[]> {
  return db
    .select({ sessionId: mcpSessionTeams.sessionId, sealedCredential: mcpSessionTeams.sealedCredential })
    .from(mcpSessionTeams)
    .where(and(eq(mcpSessionTeams.meshId, meshId), eq(mcpSessionTeams.idHash, idHash)));
}

export interface JoinedSessionRow {
  readonly sessionId: string;
  readonly slug: string;
  readonly isClosed: boolean;
}

/** Lists the sessions that any of these teams or peers is still in, ordered by slug. */
export async function listJoinedSessions(
  db: Queryable,
  sessionIds: readonly string[],
  ids: readonly string[],
): Promise<JoinedSessionRow[]> {
  const isOne = or(inArray(peers.teamId, [...ids]), inArray(peers.peerId, [...ids]));
  return db
    .selectDistinct({
      sessionId: sessions.sessionId,
      slug: sessions.slug,
      isClosed: sql<boolean>`${feeds.closedAt} IS NOT NULL`,
    })
    .from(peers)
    .innerJoin(teams, and(eq(teams.sessionId, peers.sessionId), eq(teams.teamId, peers.teamId)))
    .innerJoin(sessions, eq(sessions.sessionId, peers.sessionId))
    .innerJoin(feeds, eq(feeds.sessionId, peers.sessionId))
    .where(and(inArray(peers.sessionId, [...sessionIds]), isOne, isNull(peers.leftAt), isNull(teams.leftAt)))
    .orderBy(asc(sessions.slug));
}

/** Deletes MCP sessions that have not been used for `unusedForDays` days. */
export async function purgeMcpSessions(db: Queryable, unusedForDays: number): Promise<number> {
  const { count } = await db
    .delete(mcpSessions)
    .where(lt(mcpSessions.lastUsedAt, sql`now() - make_interval(days => ${unusedForDays})`));
  return count;
}
