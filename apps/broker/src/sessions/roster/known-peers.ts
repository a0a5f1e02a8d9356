import { listPeers, type PeerRosterRow } from "@merkle/db";
import type { SessionServices } from "../context.js";
import type { Peer } from "../peers/peer.js";
import { deriveStatus, type Status } from "../peers/status.js";

/** A peer's row, with what this broker has seen of the peer since the row was written. */
export interface KnownPeer extends PeerRosterRow {
  readonly status: Status;
  readonly polling: boolean;
  /** How many inboxes of it are open. */
  readonly connections: number;
  /** Undefined when it was not here for long. */
  readonly live: Peer | undefined;
}

type Parts = Pick<SessionServices, "database" | "presence" | "settings" | "nodes">;

/** Every peer that a session ever had, in the order of joining. */
export async function readKnownPeers(services: Parts, sessionId: string): Promise<KnownPeer[]> {
  const { database } = services;
  const rows = await listPeers(database.orm, database.meshId, sessionId);
  const now = Date.now();
  return withTeamsWords(rows).map((row) => toKnown(services, row, now));
}

/**
 * What was declared with a team's own credential is said of the whole team: it counts for each of its named peers that says
 * neither `dnd` nor `blocked` of itself (PEER-18). The unnamed peer that holds it is often not shown.
 */
function withTeamsWords(rows: readonly PeerRosterRow[]): PeerRosterRow[] {
  const words = new Map(
    rows.filter((row) => !isNamed(row) && wantsNotice(row)).map((row) => [row.teamId, row]),
  );
  return rows.map((row) => {
    const word = wantsNotice(row) || row.leftAt !== null ? undefined : words.get(row.teamId);
    if (!word) return row;
    const { declaredStatus, declaredReason, declaredAt } = word;
    return { ...row, declaredStatus, declaredReason, declaredAt };
  });
}

/** Whether a peer declared what others must know before they wait for it. */
function wantsNotice({ declaredStatus }: Pick<PeerRosterRow, "declaredStatus">): boolean {
  return declaredStatus === "blocked" || declaredStatus === "dnd";
}

/** Adds to the row, which nobody else has: to copy its thirty fields took a tenth of reading a roster of hundreds. */
function toKnown(services: Parts, row: PeerRosterRow, now: number): KnownPeer {
  const seen = sight(services, row, now, hasLeft(row));
  return Object.assign(row, seen, {
    lastPolledAt: latest(row.lastPolledAt, seen.live?.lastPolledAt ?? null),
    acked: Math.max(row.acked, seen.live?.acked ?? 0),
  });
}

/** The part of a peer's row that tells whether the peer is there. */
type SeenRow = Pick<
  PeerRosterRow,
  "peerId" | "joinedAt" | "lastSeenAt" | "heldNode" | "pollingNode" | "here" | "goneAt"
>;

/**
 * Whether a peer is there, by its row and by what this broker has seen since. That it is at another node counts as long as that
 * node is there (NODE-8).
 */
export function sight(
  { presence, settings, nodes }: Pick<Parts, "presence" | "settings" | "nodes">,
  row: SeenRow,
  now: number,
  left = false,
): Pick<KnownPeer, "lastSeenAt" | "status" | "polling" | "connections" | "live"> {
  const { peerId, joinedAt, lastSeenAt: savedSeenAt, goneAt } = row;
  const live = presence.find(peerId);
  const seenHereAt = live?.lastSeenAt ?? null;
  const lastSeenAt = latest(savedSeenAt, seenHereAt);
  const elsewhere = sightElsewhere(row, nodes.others);
  const polling = (live?.waits.size ?? 0) + elsewhere.waits > 0;
  const connections = (live?.holders.size ?? 0) + elsewhere.inboxes;
  // Seen elsewhere since, it has come back.
  const isGoneHere = live?.gone === true && !isAfter(savedSeenAt, seenHereAt);
  const sighting = {
    left,
    polling,
    connected: connections > 0,
    gone: isGoneHere || (goneAt !== null && !isAfter(lastSeenAt, goneAt)),
    seenAt: lastSeenAt ?? joinedAt,
  };
  return { lastSeenAt, status: deriveStatus(settings.current, sighting, now), polling, connections, live };
}

/** A node of the version before says no more than where a peer is. */
function sightElsewhere(
  { heldNode, pollingNode, here }: Pick<SeenRow, "heldNode" | "pollingNode" | "here">,
  others: ReadonlySet<string>,
): { readonly inboxes: number; readonly waits: number } {
  const counts = Object.entries(here).flatMap(([node, counted]) => (others.has(node) ? [counted] : []));
  const isAt = (node: string | null) => (node !== null && others.has(node) ? 1 : 0);
  return {
    inboxes: counts.reduce((sum, [inboxes]) => sum + inboxes, 0) || isAt(heldNode),
    waits: counts.reduce((sum, [, waits]) => sum + waits, 0) || isAt(pollingNode),
  };
}

function isAfter(a: Date | null, b: Date | null): boolean {
  return a !== null && (b === null || a > b);
}

function latest(a: Date | null, b: Date | null): Date | null {
  if (!a || !b) return a ?? b;
  return a > b ? a : b;
}

/** Whether a peer has left, by itself or with its team. */
function hasLeft(row: Pick<PeerRosterRow, "leftAt" | "teamLeftAt">): boolean {
  return row.leftAt !== null || row.teamLeftAt !== null;
}

type Row = Pick<PeerRosterRow, "teamId" | "name" | "leftAt" | "teamLeftAt" | "lastPolledAt">;

/**
 * Returns those of a session's peers that are there, whom a message can reach (PEER-7). A team's unnamed peer is one of them
 * only as long as no named peer of the team is there, or once it has asked for messages itself: else nobody reads as it.
 */
export function presentPeers<Peer extends Row>(rows: readonly Peer[]): Peer[] {
  const there = rows.filter((row) => !hasLeft(row));
  const teamsByName = new Set(there.filter(isNamed).map(({ teamId }) => teamId));
  return there.filter((row) => isNamed(row) || row.lastPolledAt !== null || !teamsByName.has(row.teamId));
}

/** Those that have left, each team's unnamed peer only if somebody ever read as it. */
export function leftPeers<Peer extends Row>(rows: readonly Peer[]): Peer[] {
  const teamsWithNames = new Set(rows.filter(isNamed).map(({ teamId }) => teamId));
  return rows.filter(
    (row) => hasLeft(row) && (isNamed(row) || row.lastPolledAt !== null || !teamsWithNames.has(row.teamId)),
  );
}

function isNamed({ name }: Pick<Row, "name">): boolean {
  return name !== null;
}
