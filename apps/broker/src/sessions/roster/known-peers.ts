import { listPeers, type PeerRosterRow } from "@merkle/db";
import type { SessionServices } from "../context.js";
import type { LivePeer } from "../peers/peer.js";
import { deriveStatus, type PresenceStatus } from "../peers/status.js";

/** A peer's row, updated with the activity that this broker has seen since the row was written. */
export interface KnownPeer extends PeerRosterRow {
  readonly status: PresenceStatus;
  readonly polling: boolean;
  /** Number of inboxes that the peer has open. */
  readonly connections: number;
  /** The peer in memory. Undefined if it has not been active on this node for a while. */
  readonly live: LivePeer | undefined;
}

export type RosterServices = Pick<SessionServices, "database" | "presence" | "settings" | "nodes">;

/** Returns every peer that has ever been in a session, in the order in which they joined. */
export async function readKnownPeers(services: RosterServices, sessionId: string): Promise<KnownPeer[]> {
  const { database } = services;
  const rows = await listPeers(database.orm, database.meshId, sessionId);
  const now = Date.now();
  return withTeamStatus(rows).map((row) => toKnown(services, row, now));
}

/**
 * Applies a team's declared status to its named peers, except peers that have declared `dnd` or `blocked`
 * themselves (PEER-18). A team's status is stored with its unnamed peer, which is often hidden.
 */
function withTeamStatus(rows: readonly PeerRosterRow[]): PeerRosterRow[] {
  const teamStatuses = new Map(
    rows.filter((row) => !isNamed(row) && hasNotableStatus(row)).map((row) => [row.teamId, row]),
  );
  return rows.map((row) => {
    const teamStatus =
      hasNotableStatus(row) || row.leftAt !== null ? undefined : teamStatuses.get(row.teamId);
    if (!teamStatus) return row;
    const { declaredStatus, declaredReason, declaredAt } = teamStatus;
    return { ...row, declaredStatus, declaredReason, declaredAt };
  });
}

/**
 * Returns whether a peer has declared a status that others should know about before they wait for the peer.
 */
function hasNotableStatus({ declaredStatus }: Pick<PeerRosterRow, "declaredStatus">): boolean {
  return declaredStatus === "blocked" || declaredStatus === "dnd";
}

/**
 * Extends the row in place, which is safe because no other code uses the row. Copying its thirty fields took a
 * tenth of the time needed to read a roster with hundreds of peers.
 */
function toKnown(services: RosterServices, row: PeerRosterRow, now: number): KnownPeer {
  const seen = derivePresence(services, row, now, hasLeft(row));
  return Object.assign(row, seen, {
    lastPolledAt: pickLatest(row.lastPolledAt, seen.live?.lastPolledAt ?? null),
    acked: Math.max(row.acked, seen.live?.cursors.acked ?? 0),
  });
}

/** The fields of a peer's row that show whether the peer is present. */
type SeenRow = Pick<
  PeerRosterRow,
  "peerId" | "joinedAt" | "lastSeenAt" | "heldNode" | "pollingNode" | "here" | "goneAt"
>;

/**
 * Returns a peer's presence, derived from its row and its activity on this node. Presence on another node
 * counts only while that node is running (NODE-8).
 */
export function derivePresence(
  { presence, settings, nodes }: Pick<RosterServices, "presence" | "settings" | "nodes">,
  row: SeenRow,
  now: number,
  left = false,
): Pick<KnownPeer, "lastSeenAt" | "status" | "polling" | "connections" | "live"> {
  const { peerId, joinedAt, lastSeenAt: savedSeenAt, goneAt } = row;
  const live = presence.find(peerId);
  const seenHereAt = live?.lastSeenAt ?? null;
  const lastSeenAt = pickLatest(savedSeenAt, seenHereAt);
  const elsewhere = countOnOtherNodes(row, nodes.others);
  const polling = (live?.waits.size ?? 0) + elsewhere.waits > 0;
  const connections = (live?.holders.size ?? 0) + elsewhere.inboxes;
  // If another node has seen the peer since it said goodbye to this node, the peer has returned.
  const hasSaidGoodbyeHere = live?.hasSaidGoodbye === true && !isAfter(savedSeenAt, seenHereAt);
  const observation = {
    left,
    polling,
    connected: connections > 0,
    hasSaidGoodbye: hasSaidGoodbyeHere || (goneAt !== null && !isAfter(lastSeenAt, goneAt)),
    seenAt: lastSeenAt ?? joinedAt,
  };
  return { lastSeenAt, status: deriveStatus(settings.current, observation, now), polling, connections, live };
}

/**
 * Counts a peer's inboxes and waits on other nodes. Nodes that run the previous version store only which node
 * has the peer, not the counts.
 */
function countOnOtherNodes(
  { heldNode, pollingNode, here }: Pick<SeenRow, "heldNode" | "pollingNode" | "here">,
  others: ReadonlySet<string>,
): { readonly inboxes: number; readonly waits: number } {
  const counts = Object.entries(here).flatMap(([node, counted]) => (others.has(node) ? [counted] : []));
  const countAt = (node: string | null) => (node !== null && others.has(node) ? 1 : 0);
  return {
    inboxes: counts.reduce((sum, [inboxes]) => sum + inboxes, 0) || countAt(heldNode),
    waits: counts.reduce((sum, [, waits]) => sum + waits, 0) || countAt(pollingNode),
  };
}

function isAfter(a: Date | null, b: Date | null): boolean {
  return a !== null && (b === null || a > b);
}

function pickLatest(a: Date | null, b: Date | null): Date | null {
  if (!a || !b) return a ?? b;
  return a > b ? a : b;
}

/** Returns whether a peer has left the session, alone or with its team. */
function hasLeft(row: Pick<PeerRosterRow, "leftAt" | "teamLeftAt">): boolean {
  return row.leftAt !== null || row.teamLeftAt !== null;
}

type PresenceRow = Pick<PeerRosterRow, "teamId" | "name" | "leftAt" | "teamLeftAt" | "lastPolledAt">;

/**
 * Returns the peers that are present and can receive messages (PEER-7). A team's unnamed peer counts only if
 * the team has no named peer present or if the unnamed peer has read messages itself. Otherwise no client
 * reads the unnamed peer's messages.
 */
export function filterPresentPeers<Peer extends PresenceRow>(rows: readonly Peer[]): Peer[] {
  const present = rows.filter((row) => !hasLeft(row));
  const namedTeams = new Set(present.filter(isNamed).map(({ teamId }) => teamId));
  return present.filter((row) => isNamed(row) || row.lastPolledAt !== null || !namedTeams.has(row.teamId));
}

/**
 * Returns the peers that have left. A team's unnamed peer is included only if the team has no named peers or
 * the unnamed peer has read messages itself.
 */
export function filterLeftPeers<Peer extends PresenceRow>(rows: readonly Peer[]): Peer[] {
  const teamsWithNames = new Set(rows.filter(isNamed).map(({ teamId }) => teamId));
  return rows.filter(
    (row) => hasLeft(row) && (isNamed(row) || row.lastPolledAt !== null || !teamsWithNames.has(row.teamId)),
  );
}

function isNamed({ name }: Pick<PresenceRow, "name">): boolean {
  return name !== null;
}
