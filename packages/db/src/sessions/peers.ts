import { and, asc, eq, inArray, isNotNull, isNull, sql } from "drizzle-orm";
import { feeds, peers, personReads, sessions, teams } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";
import type { LiveSecret } from "../identity/persons.js";
import { type TeamWithPeer, teamWithPeerColumns } from "./teams.js";

/** Where a peer has come to; what is left out stays. Cursors only ever go forward. */
export interface PeerProgress {
  readonly sessionId: string;
  readonly peerId: string;
  readonly acked: number;
  /** The part of `acked` that it said it has read; beyond it nothing stood for it. */
  readonly acknowledged: number;
  readonly offered: number;
  readonly returned: number;
  readonly repeated: number;
  readonly documentVersion: number;
  /** Null where it is as it was. */
  readonly idlePolls: number | null;
  readonly lastSeenAt: Date | null;
  readonly lastPolledAt: Date | null;
  /** The part of `acked` that was in the database before: where it is no longer, the peer was put back elsewhere. */
  readonly ackedBefore: number;
  /** What its inboxes here did since the last save; null for nothing. */
  readonly hold: "opened" | "closed" | "goodbye" | null;
  /** How many inboxes of it are open here, and how many waits parked. */
  readonly inboxes: number;
  readonly waits: number;
}

/**
 * Saves the progress of many peers in one statement. `greatest` makes a late or repeated save harmless, so that two
 * nodes may both know the peer; one whose cursor another node has put back since is left as it is (NODE-7). What was
 * acknowledged since the last save gets a receipt with the time.
 *
 * @param nodeId - the node that saves; null where there is but one, so that nobody asks where a peer is
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

/** Where a peer has come to at whichever node, and the end of its feed. */
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

/** Those of some peers that were held at another node after this one. */
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

/** Those of a session's peers that have left, by themselves or with their team. */
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

export type DeclaredStatus = "idle" | "working" | "dnd" | "blocked";

export interface GroupMembership {
  readonly name: string;
  readonly role: string | null;
}

/** By node, how many inboxes of a peer are open there, and how many waits parked. */
export type PeerHere = Readonly<Record<string, readonly [inboxes: number, waits: number]>>;

/** A peer and its team, as a roster tells of them. */
export interface PeerRosterRow {
  readonly sessionId: string;
  readonly peerId: string;
  readonly teamId: string;
  readonly team: string;
  readonly kind: "agent" | "human" | "guest";
  readonly personId: string | null;
  readonly colour: number;
  readonly teamJoinedAt: Date;
  readonly teamLeftAt: Date | null;
  /** Null for the team's unnamed peer. */
  readonly name: string | null;
  readonly role: string | null;
  readonly groups: readonly GroupMembership[];
  readonly declaredStatus: DeclaredStatus | null;
  readonly declaredReason: string | null;
  readonly declaredAt: Date | null;
  readonly summary: string | null;
  readonly summaryAt: Date | null;
  readonly capabilities: unknown;
  readonly cwd: string | null;
  readonly machine: string | null;
  readonly sessionKey: string | null;
  readonly keyCard: unknown;
  readonly joinedAt: Date;
  readonly lastSeenAt: Date | null;
  readonly lastPolledAt: Date | null;
  readonly heldNode: string | null;
  readonly pollingNode: string | null;
  readonly here: PeerHere;
  readonly goneAt: Date | null;
  readonly leftAt: Date | null;
  readonly acked: number;
  /** How far its person has read; null for an agent, and for a person who has acknowledged nothing. */
  readonly personLastRead: number | null;
}

const rosterColumns = {
  sessionId: peers.sessionId,
  peerId: peers.peerId,
  teamId: peers.teamId,
  team: teams.name,
  kind: teams.kind,
  personId: teams.personId,
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
  capabilities: peers.capabilities,
  cwd: peers.cwd,
  machine: peers.machine,
  sessionKey: peers.sessionKey,
  keyCard: peers.keyCard,
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

/** Every peer that a session ever had, named or not: teams in the order of their joining, and in each its peers. */
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

/** A peer of a team that is in a session now, as far as its presence needs it. */
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
 * The peers of the first teams of each of some sessions, in the order of joining: of those that are there now, and that
 * were seen or have joined lately. A connected peer's last sighting is written to its row every few seconds.
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

/** A named peer with its team, left or not. */
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

/** The session that a named peer belongs to, whichever of the mesh's it is. */
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

/** The secret hashes of those of these ids that are peers' who are there, in any session. */
export async function findPeerSecrets(db: Queryable, ids: readonly string[]): Promise<LiveSecret[]> {
  if (ids.length === 0) return [];
  return db
    .select({ id: peers.peerId, secretHash: sql<Uint8Array>`${peers.secretHash}` })
    .from(peers)
    .where(and(inArray(peers.peerId, [...ids]), isNotNull(peers.secretHash), isNull(peers.leftAt)));
}
