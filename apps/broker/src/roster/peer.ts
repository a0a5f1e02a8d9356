import type { PeerProgress, TeamWithPeer } from "@merkle/db";

/** A wait that blocks; answering it early is all that others may do with it. */
export interface ParkedWait {
  /** Ends it as its timeout would. */
  expire(): void;
}

/**
 * A peer as this broker knows it: its cursors (CURSOR-2), what it was last told, and whether it is here. All cursors only
 * go forward; what the database holds may be a little older, never newer.
 */
export interface Peer {
  readonly sessionId: string;
  readonly peerId: string;
  readonly teamId: string;
  acked: number;
  /** The part of `acked` that is certain to be in the database. */
  ackedOnDisk: number;
  offered: number;
  /** What the last wait without a cursor brought to its caller in full; the next one acknowledges it. */
  returned: number;
  /** The connection that brought it, where the caller's calls share one. */
  returnedTo: object | undefined;
  documentVersion: number;
  idlePolls: number;
  lastSeenAt: Date | null;
  /** Oldest first. */
  readonly waits: Set<ParkedWait>;
  /** Open inbox subscriptions. */
  connections: number;
}

export function createPeer(row: TeamWithPeer): Peer {
  const { peerId, acked, offered, returned, documentVersion, idlePolls, lastSeenAt } = row.peer;
  return {
    sessionId: row.sessionId,
    peerId,
    teamId: row.teamId,
    acked,
    ackedOnDisk: acked,
    offered,
    returned,
    returnedTo: undefined,
    documentVersion,
    idlePolls,
    lastSeenAt,
    waits: new Set(),
    connections: 0,
  };
}

/** Takes over what a newer row knows better: another broker, or a placed cursor, may have moved it on. */
export function refreshPeer(peer: Peer, row: TeamWithPeer): void {
  peer.acked = Math.max(peer.acked, row.peer.acked);
  peer.ackedOnDisk = Math.max(peer.ackedOnDisk, row.peer.acked);
  peer.offered = Math.max(peer.offered, row.peer.offered);
  peer.returned = Math.max(peer.returned, row.peer.returned);
  peer.documentVersion = Math.max(peer.documentVersion, row.peer.documentVersion);
}

/** Notes that messages up to `cursor` were handed out. */
export function offerUpTo(peer: Peer, cursor: number): void {
  peer.offered = Math.max(peer.offered, cursor);
}

/** Acknowledges min(cursor, offered), and returns what is acknowledged then (CURSOR-4). */
export function acknowledgeUpTo(peer: Peer, cursor: number): number {
  peer.acked = Math.max(peer.acked, Math.min(cursor, peer.offered));
  return peer.acked;
}

export function isPresent(peer: Peer): boolean {
  return peer.waits.size > 0 || peer.connections > 0;
}

export function toProgress(peer: Peer): PeerProgress {
  const { sessionId, peerId, acked, offered, returned, documentVersion, idlePolls, lastSeenAt } = peer;
  return { sessionId, peerId, acked, offered, returned, documentVersion, idlePolls, lastSeenAt };
}
