import type { DeclaredStatus, GroupMembership, WakePreference } from "@merkle/wire";
import { and, asc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { feeds, peers, personReads, sessions, teams } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";
import type { LiveSecret } from "../identity/persons.js";
import { type TeamWithPeer, teamWithPeerColumns } from "./teams.js";

/** A peer's reading progress. Fields that are null stay unchanged. Cursors only move forward. */
export interface PeerProgress {
  readonly sessionId: string;
  readonly peerId: string;
  readonly acked: number;
  /**
   * Highest sequence that the peer has acknowledged explicitly. `acked` can be higher if the next messages
   * were not for the peer.
   */
  readonly acknowledged: number;
  readonly offered: number;
  readonly returned: number;
  readonly repeated: number;
  readonly documentVersion: number;
  /** Number of polls in a row without messages. Null if unchanged. */
  readonly idlePolls: number | null;
  readonly lastSeenAt: Date | null;
  readonly lastPolledAt: Date | null;
  /**
   * The last known value of `acked` in the database. If the stored value is now lower, another node has moved
   * the peer's cursor back.
   */
  readonly ackedBefore: number;
  /** How the peer's inboxes on this node have changed since the last save. Null if nothing has changed. */
  readonly hold: "opened" | "closed" | "goodbye" | null;
  /** Numbers of the peer's open inboxes and of its waiting polls on this node. */
  readonly inboxes: number;
  readonly waits: number;
}

/**
 * Saves the progress of many peers in one statement. `greatest` makes a late or repeated save harmless, so
 * two nodes can serve the same peer. A peer whose cursor was moved back by another node is left unchanged
 * (NODE-7). For newly acknowledged messages, a receipt with the time is stored.
 *
 * @param nodeId - id of the node that saves, or null if there is only one node; presence is then not stored
 * per node
 */
export async function saveProgress(
  db: Queryable,
  nodeId: string | null,
  progress: readonly PeerProgress[],
): Promise<void> {
  if (progress.length === 0) return;
  await db.execute(sql`
    WITH n AS (
      SELECT * FROM json_to_recordset(${JSON.stringify(progress.map(toJson))}::text::json) AS n (
        session_id uuid, peer_id uuid, acked bigint, acknowledged bigint, offered bigint, returned bigint,
        repeated bigint, document_version integer, idle_polls integer, last_seen_at timestamptz,
        last_polled_at timestamptz, acked_before bigint, hold text, inboxes integer, waits integer)
    ), received AS (
      INSERT INTO receipts (session_id, peer_id, cursor)
      SELECT n.session_id, n.peer_id, n.acknowledged
      FROM n JOIN peers p ON p.session_id = n.session_id AND p.peer_id = n.peer_id
      WHERE n.acknowledged > p.acked AND p.acked >= n.acked_before
      ON CONFLICT DO NOTHING
    )
    UPDATE peers p
    SET acked = greatest(p.acked, n.acked),
        offered = greatest(p.offered, n.offered),
        returned = greatest(p.returned, n.returned),
        repeated = greatest(p.repeated, n.repeated),
        document_version = greatest(p.document_version, n.document_version),
        idle_polls = coalesce(n.idle_polls, p.idle_polls),
        last_seen_at = greatest(p.last_seen_at, n.last_seen_at),
        last_polled_at = greatest(p.last_polled_at, n.last_polled_at),
        held_node = CASE WHEN n.hold IS NULL THEN p.held_node
                         WHEN n.hold = 'opened' THEN ${nodeId}::uuid
                         ELSE nullif(p.held_node, ${nodeId}::uuid) END,
        gone_at = CASE WHEN n.hold = 'goodbye' AND p.held_node = ${nodeId}::uuid THEN greatest(now(), n.last_seen_at)
                       ELSE p.gone_at END,
        polling_node = CASE WHEN n.waits > 0 THEN ${nodeId}::uuid ELSE nullif(p.polling_node, ${nodeId}::uuid) END,
        here = CASE WHEN n.inboxes + n.waits > 0
                    THEN p.here || jsonb_build_object(${nodeId}::text, jsonb_build_array(n.inboxes, n.waits))
                    ELSE p.here - coalesce(${nodeId}::text, '') END
    FROM n
    WHERE p.session_id = n.session_id AND p.peer_id = n.peer_id AND p.acked >= n.acked_before`);
}

function toJson(progress: PeerProgress): Record<string, unknown> {
  return {
    session_id: progress.sessionId,
    peer_id: progress.peerId,
    acked: progress.acked,
    acknowledged: progress.acknowledged,
    offered: progress.offered,
    returned: progress.returned,
    repeated: progress.repeated,
    document_version: progress.documentVersion,
    idle_polls: progress.idlePolls,
    last_seen_at: progress.lastSeenAt?.toISOString() ?? null,
    last_polled_at: progress.lastPolledAt?.toISOString() ?? null,
    acked_before: progress.ackedBefore,
    hold: progress.hold,
    inboxes: progress.inboxes,
    waits: progress.waits,
  };
}

/** A peer's progress across all nodes, and the last sequence in its feed. */
export type KnownProgress = Pick<
  TeamWithPeer["peer"],
  "acked" | "offered" | "returned" | "repeated" | "documentVersion" | "idlePolls" | "name" | "lastPolledAt"
> & { readonly lastSequence: number };

export async function findProgress(
  db: Queryable,
  sessionId: string,
  peerId: string,
): Promise<KnownProgress | null> {
  const [row] = await db
    .select({
      acked: peers.acked,
      offered: peers.offered,
      returned: peers.returned,
      repeated: peers.repeated,
      documentVersion: peers.documentVersion,
      idlePolls: peers.idlePolls,
      name: peers.name,
      lastPolledAt: peers.lastPolledAt,
      lastSequence: feeds.lastSequence,
    })
    .from(peers)
    .innerJoin(feeds, eq(feeds.sessionId, peers.sessionId))
    .where(and(eq(peers.sessionId, sessionId), eq(peers.peerId, peerId)));
  return row ?? null;
}

/** Returns which of this node's peers another node has taken over. */
export async function listHeldElsewhere(
  db: Queryable,
  nodeId: string,
  held: readonly { readonly sessionId: string; readonly peerId: string }[],
): Promise<string[]> {
  if (held.length === 0) return [];
  const keys = held.map(({ sessionId, peerId }) => ({ session_id: sessionId, peer_id: peerId }));
  const rows = await db.execute<{ id: string }>(sql`
    SELECT p.peer_id AS id
    FROM json_to_recordset(${JSON.stringify(keys)}::text::json) AS h (session_id uuid, peer_id uuid)
    JOIN ${peers} p ON p.session_id = h.session_id AND p.peer_id = h.peer_id
    WHERE p.held_node <> ${nodeId}`);
  return rows.map(({ id }) => id);
}

/** Returns which of the given peers have left, either alone or with their team. */
export async function listLeftPeers(
  db: Queryable,
  sessionId: string,
  peerIds: readonly string[],
): Promise<string[]> {
  if (peerIds.length === 0) return [];
  const rows = await db.execute<{ id: string }>(sql`
    SELECT p.peer_id AS id
    FROM json_array_elements_text(${JSON.stringify(peerIds)}::text::json) AS asked (id)
    JOIN ${peers} p ON p.session_id = ${sessionId} AND p.peer_id = asked.id::uuid
    JOIN ${teams} t ON t.session_id = p.session_id AND t.team_id = p.team_id
    WHERE p.left_at IS NOT NULL OR t.left_at IS NOT NULL`);
  return rows.map(({ id }) => id);
}

/** The nodes on which a peer is present, each with its numbers of open inboxes and waiting polls. */
export type PeerHere = Readonly<Record<string, readonly [inboxes: number, waits: number]>>;

/** A peer and its team, as shown in a roster. */
export interface PeerRosterRow {
  readonly sessionId: string;
  readonly peerId: string;
  readonly teamId: string;
  readonly team: string;
  readonly kind: "agent" | "human" | "guest";
  readonly personId: string | null;
  /** The member whose team it is, if known. */
  readonly memberId: string | null;
  readonly colour: number;
  readonly teamJoinedAt: Date;
  readonly teamLeftAt: Date | null;
  /** Name of the peer. Null for the team's unnamed peer. */
  readonly name: string | null;
  readonly role: string | null;
  readonly groups: readonly GroupMembership[];
  readonly declaredStatus: DeclaredStatus | null;
  readonly declaredReason: string | null;
  readonly declaredAt: Date | null;
  readonly summary: string | null;
  readonly summaryAt: Date | null;
  readonly wake: WakePreference;
  readonly capabilities: unknown;
  readonly cwd: string | null;
  readonly machine: string | null;
  readonly sessionKey: string | null;
  readonly keyCard: unknown;
  readonly ownWords: unknown;
  readonly joinedAt: Date;
  readonly lastSeenAt: Date | null;
  readonly lastPolledAt: Date | null;
  readonly heldNode: string | null;
  readonly pollingNode: string | null;
  readonly here: PeerHere;
  readonly goneAt: Date | null;
  readonly leftAt: Date | null;
  readonly acked: number;
  /**
   * How far the team's person has read. Null for an agents' team, and for a person who has not acknowledged
   * anything.
   */
  readonly personLastRead: number | null;
}

const rosterColumns = {
  sessionId: peers.sessionId,
  peerId: peers.peerId,
  teamId: peers.teamId,
  team: teams.name,
  kind: teams.kind,
  personId: teams.personId,
  memberId: teams.memberId,
  colour: teams.colour,
  teamJoinedAt: teams.joinedAt,
  teamLeftAt: teams.leftAt,
  name: peers.name,
  role: peers.role,
  groups: peers.groups,
  declaredStatus: peers.declaredStatus,
  declaredReason: peers.declaredReason,
  declaredAt: peers.declaredAt,
  summary: peers.summary,
  summaryAt: peers.summaryAt,
  wake: peers.wake,
  capabilities: peers.capabilities,
  cwd: peers.cwd,
  machine: peers.machine,
  sessionKey: peers.sessionKey,
  keyCard: peers.keyCard,
  ownWords: peers.ownWords,
  joinedAt: peers.joinedAt,
  lastSeenAt: peers.lastSeenAt,
  lastPolledAt: peers.lastPolledAt,
  heldNode: peers.heldNode,
  pollingNode: peers.pollingNode,
  here: sql<PeerHere>`${peers.here}`,
  goneAt: peers.goneAt,
  leftAt: peers.leftAt,
  acked: peers.acked,
  personLastRead: personReads.lastRead,
};

/** Lists all peers that a session has ever had, named or not, in the order in which their teams joined. */
export async function listPeers(db: Queryable, meshId: string, sessionId: string): Promise<PeerRosterRow[]> {
  return db
    .select(rosterColumns)
    .from(peers)
    .innerJoin(teams, ofTeam)
    .leftJoin(
      personReads,
      and(
        eq(personReads.meshId, meshId),
        eq(personReads.personId, teams.personId),
        eq(personReads.sessionId, teams.sessionId),
      ),
    )
    .where(eq(peers.sessionId, sessionId))
    .orderBy(
      asc(teams.joinedAt),
      asc(teams.teamId),
      asc(peers.joinedAt),
      sql`${peers.name} NULLS FIRST`,
      asc(peers.peerId),
    );
}

/** The presence of a peer that belongs to a current team of a session. */
export interface PresentPeerRow {
  readonly sessionId: string;
  readonly teamId: string;
  readonly team: string;
  readonly kind: "agent" | "human" | "guest";
  readonly colour: number;
  readonly peerId: string;
  readonly joinedAt: Date;
  readonly lastSeenAt: Date | null;
  readonly heldNode: string | null;
  readonly pollingNode: string | null;
  readonly here: PeerHere;
  readonly goneAt: Date | null;
  readonly declaredStatus: DeclaredStatus | null;
}

/**
 * Lists the current peers of each session's first teams, in the order of joining. Leaves out teams that joined
 * before `unseenSince` and whose peers have never been seen. For a connected peer, the time when it was last
 * seen is updated every few seconds.
 */
export async function listPresentPeers(
  db: Queryable,
  sessionIds: readonly string[],
  { teamsMax, unseenSince }: { readonly teamsMax: number; readonly unseenSince: Date },
): Promise<PresentPeerRow[]> {
  if (sessionIds.length === 0) return [];
  const isOfTeam = sql`p.session_id = t.session_id AND p.team_id = t.team_id`;
  const rows = await db.execute<
    Omit<PresentPeerRow, "joinedAt" | "lastSeenAt" | "goneAt"> & {
      joined: string;
      seen: string | null;
      gone: string | null;
    } & Record<string, unknown>
  >(sql`
    SELECT t.session_id AS "sessionId", t.team_id AS "teamId", t.name AS team, t.kind, t.colour, p.peer_id AS "peerId",
           (extract(epoch FROM p.joined_at) * 1000)::bigint AS joined,
           (extract(epoch FROM p.last_seen_at) * 1000)::bigint AS seen,
           (extract(epoch FROM p.gone_at) * 1000)::bigint AS gone, p.held_node AS "heldNode",
           p.polling_node AS "pollingNode", p.here, p.declared_status AS "declaredStatus"
    FROM json_array_elements_text(${JSON.stringify(sessionIds)}::text::json) AS s (id)
    CROSS JOIN LATERAL (
      SELECT t.* FROM ${teams} t
      WHERE t.session_id = s.id::uuid AND t.left_at IS NULL
        AND (t.joined_at > ${unseenSince.toISOString()}::timestamptz
          OR EXISTS (SELECT FROM ${peers} p WHERE ${isOfTeam} AND p.last_seen_at IS NOT NULL))
      ORDER BY t.colour LIMIT ${teamsMax}) t
    JOIN ${peers} p ON ${isOfTeam} AND p.left_at IS NULL
    ORDER BY t.session_id, t.colour`);
  return rows.map(({ joined, seen, gone, ...row }) => ({
    ...row,
    goneAt: gone === null ? null : new Date(Number(gone)),
    joinedAt: new Date(Number(joined)),
    lastSeenAt: seen === null ? null : new Date(Number(seen)),
  }));
}

const ofTeam = and(eq(teams.sessionId, peers.sessionId), eq(teams.teamId, peers.teamId));

/** Finds a named peer with its team, whether or not the peer has left. */
export async function findNamedPeer(
  db: Queryable,
  sessionId: string,
  peerId: string,
): Promise<TeamWithPeer | null> {
  const [row] = await db
    .select(teamWithPeerColumns)
    .from(peers)
    .innerJoin(teams, ofTeam)
    .where(and(eq(peers.sessionId, sessionId), eq(peers.peerId, peerId), isNotNull(peers.name)));
  return row ?? null;
}

/** Finds the session that a named peer belongs to, among all sessions of the mesh. */
export async function findSessionOfPeer(
  db: Queryable,
  meshId: string,
  peerId: string,
): Promise<string | null> {
  const [row] = await db
    .select({ sessionId: peers.sessionId })
    .from(peers)
    .innerJoin(sessions, eq(sessions.sessionId, peers.sessionId))
    .where(and(eq(peers.peerId, peerId), isNotNull(peers.name), eq(sessions.meshId, meshId)));
  return row?.sessionId ?? null;
}

/**
 * Returns the secret hashes of the current peers that these ids belong to, in any session. Other ids are
 * ignored.
 */
export async function findPeerSecrets(db: Queryable, ids: readonly string[]): Promise<LiveSecret[]> {
  if (ids.length === 0) return [];
  return db
    .select({ id: peers.peerId, secretHash: sql<Uint8Array>`${peers.secretHash}` })
    .from(peers)
    .where(and(inArray(peers.peerId, [...ids]), isNotNull(peers.secretHash), isNull(peers.leftAt)));
}
