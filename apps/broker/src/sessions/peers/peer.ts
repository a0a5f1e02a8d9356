import type { PeerProgress, TeamWithPeer } from "@merkle/db";
import type { NudgeFrame, WakePath } from "@merkle/wire";

/** A wait that blocks; answering it early is all that others may do with it. */
interface ParkedWait {
  /** Ends it as its timeout would. */
  expire(): void;
}

/** An open inbox of a peer. */
interface Holder {
  readonly connection: object;
  /** Asks its client to run its wake paths; resolves with those that the client says it has run. */
  nudge(nudge: NudgeFrame): Promise<readonly WakePath[]>;
  /** Ends its connection, because a newer one holds the peer. */
  replace(): void;
}

/**
 * A peer as this broker knows it: its cursors (CURSOR-2), what it was last told, and whether it is here. All cursors only
 * go forward; what the database holds may be a little older, never newer.
 */
export interface Peer {
  readonly sessionId: string;
  readonly peerId: string;
  readonly teamId: string;
  /** Null for a team's unnamed peer. */
  name: string | null;
  acked: number;
  /** The part of `acked` that the peer said it has read; between the two nothing stands for it. */
  acknowledged: number;
  /** The part of `acked` that is certain to be in the database. */
  ackedOnDisk: number;
  /** Up to where it is noted what a person has read; the part of `acked` beyond was acknowledged, and is yet to be noted. */
  readNoted: number;
  offered: number;
  /** A part of the feed, known to hold nothing for the peer: after the one sequence, up to the other. */
  clear: { readonly after: number; readonly upTo: number };
  /** How far the replies to calls without a cursor went that were written in full; whether they arrived is not known by that. */
  returned: number;
  /** The same, of each connection that shows by its next call that a reply over it has arrived. */
  returnedOver: WeakMap<object, number>;
  /** The part of `returned` that is known to have arrived. */
  arrived: number;
  /** The part of `returned` that was brought twice. */
  repeated: number;
  /** It has yet to be told that the database was restored. */
  resync: boolean;
  documentVersion: number;
  idlePolls: number;
  /** As many as the database knows of: another node may have counted on. */
  idlePollsOnDisk: number;
  lastSeenAt: Date | null;
  /** When it last asked for its messages: by a wait, a check or an opened inbox. */
  lastPolledAt: Date | null;
  /** Whether its last connection said goodbye, and nothing came from it since. */
  gone: boolean;
  /** When an event that wakes nobody last ended a wait of it, on the clock of `performance` (DELIVER-4). */
  eventEndedWaitAt: number;
  /** Oldest first. */
  readonly waits: Set<ParkedWait>;
  /** Its open inboxes, oldest first; at most one connection holds a named peer (PEER-11). */
  readonly holders: Set<Holder>;
  /** What its inboxes did that is yet to be saved, for other nodes. */
  hold: PeerProgress["hold"];
}

export function createPeer(row: TeamWithPeer): Peer {
  const { peerId, acked, offered, returned, repeated } = row.peer;
  const { documentVersion, idlePolls, lastSeenAt, lastPolledAt } = row.peer;
  return {
    sessionId: row.sessionId,
    peerId,
    teamId: row.teamId,
    name: row.peer.name,
    acked,
    acknowledged: acked,
    ackedOnDisk: acked,
    readNoted: acked,
    offered,
    clear: { after: acked, upTo: acked },
    returned,
    returnedOver: new WeakMap(),
    arrived: acked,
    repeated: Math.max(acked, repeated),
    resync: row.peer.resync,
    documentVersion,
    idlePolls,
    idlePollsOnDisk: idlePolls,
    lastSeenAt,
    lastPolledAt,
    gone: false,
    eventEndedWaitAt: Number.NEGATIVE_INFINITY,
    waits: new Set(),
    holders: new Set(),
    hold: null,
  };
}

/** Takes over what a newer row knows better: another broker, or a placed cursor, may have moved it on, or back. */
export function refreshPeer(
  peer: Peer,
  row: Pick<TeamWithPeer["peer"], "acked" | "offered" | "returned" | "repeated" | "documentVersion" | "name">,
): void {
  // It was on disk further on than it is: another node has put it back.
  if (row.acked < peer.ackedOnDisk) placeAt(peer, row.acked);
  peer.acked = Math.max(peer.acked, row.acked);
  peer.ackedOnDisk = Math.max(peer.ackedOnDisk, row.acked);
  peer.offered = Math.max(peer.offered, row.offered);
  peer.returned = Math.max(peer.returned, row.returned);
  peer.repeated = Math.max(peer.repeated, row.repeated);
  peer.documentVersion = Math.max(peer.documentVersion, row.documentVersion);
  peer.name = row.name;
}

/** Puts the cursors of a peer where it wants to read on, back as well as forward. */
export function placeAt(peer: Peer, cursor: number): void {
  const cursors = { acked: cursor, acknowledged: cursor, ackedOnDisk: cursor };
  Object.assign(peer, { ...cursors, offered: cursor, returned: cursor, arrived: cursor, repeated: cursor });
  peer.returnedOver = new WeakMap();
}

/** Notes that messages up to `cursor` were handed out. */
export function offerUpTo(peer: Peer, cursor: number): void {
  peer.offered = Math.max(peer.offered, cursor);
}

/** Notes that a reply to a call without a cursor was written in full; what it brought up to `again` had been brought before. */
export function noteReturned(
  peer: Peer,
  { upTo, again, connection }: { upTo: number; again: number; connection: object | undefined },
): void {
  peer.returned = Math.max(peer.returned, upTo);
  peer.repeated = Math.max(peer.repeated, Math.min(again, upTo));
  if (!connection) return;
  peer.returnedOver.set(connection, Math.max(upTo, peer.returnedOver.get(connection) ?? 0));
  const peers = readersOver.get(connection) ?? new Set();
  readersOver.set(connection, peers.add(peer));
}

/** The peers to which replies were written over a connection since its last request. */
const readersOver = new WeakMap<object, Set<Peer>>();

/**
 * Notes that a request came over an HTTP connection: its client has read every reply before it (CURSOR-6). The callers of a
 * client share its connections, so the request may be another peer's.
 */
export function noteRequest(connection: object): void {
  for (const peer of readersOver.get(connection) ?? []) noteArrival(peer, connection);
  readersOver.delete(connection);
}

/** Notes that the peer has read the replies that were written to it over a connection. */
export function noteArrival(peer: Peer, connection: object | undefined): void {
  if (connection) peer.arrived = Math.max(peer.arrived, peer.returnedOver.get(connection) ?? 0);
}

/** Acknowledges min(cursor, offered), and returns what is acknowledged then (CURSOR-4). */
export function acknowledgeUpTo(peer: Peer, cursor: number): number {
  const acked = Math.min(cursor, peer.offered);
  if (acked <= peer.acked) return peer.acked;
  peer.acked = acked;
  peer.acknowledged = acked;
  return acked;
}

/**
 * Notes that a part of the feed holds nothing for the peer. It is not looked through again, and where nothing unread
 * stands before it, the peer's cursors pass over it (CURSOR-10).
 */
export function passOver(peer: Peer, after: number, upTo: number): void {
  if (upTo <= after) return;
  const known = peer.clear;
  const goesOn = known.after <= after && after <= known.upTo;
  peer.clear = goesOn ? { after: known.after, upTo: Math.max(known.upTo, upTo) } : { after, upTo };
  if (peer.acked < peer.clear.after) return;
  peer.acked = Math.max(peer.acked, peer.clear.upTo);
  offerUpTo(peer, peer.acked);
}

/** Where reading on after a sequence can begin: behind what is known to hold nothing for the peer. */
export function firstUnknown({ clear }: Peer, after: number): number {
  return clear.after <= after && after < clear.upTo ? clear.upTo : after;
}

export function isPresent(peer: Peer): boolean {
  return peer.waits.size > 0 || peer.holders.size > 0;
}

export function toProgress(peer: Peer): PeerProgress {
  const { sessionId, peerId, acked, acknowledged, ackedOnDisk, offered, returned, repeated, hold } = peer;
  const { documentVersion, idlePolls, idlePollsOnDisk, lastSeenAt, lastPolledAt } = peer;
  return {
    sessionId,
    peerId,
    acked,
    // Reading may have been started again further back (JOIN-5).
    acknowledged: Math.min(acknowledged, acked),
    offered,
    returned,
    repeated,
    documentVersion,
    idlePolls: idlePolls === idlePollsOnDisk ? null : idlePolls,
    lastSeenAt,
    lastPolledAt,
    // What was placed further back is on disk already.
    ackedBefore: Math.min(ackedOnDisk, acked),
    hold,
    inboxes: peer.holders.size,
    waits: peer.waits.size,
  };
}

/** An inbox's hold of its peer. */
export interface Hold {
  /** Ends it. A client that said goodbye, and holds it nowhere else, is gone at once (PEER-12). */
  release(how: "goodbye" | "lost"): void;
}

/**
 * Notes that a connection holds a peer. A named peer is one agent's: whatever other connection holds it is ended as
 * replaced (PEER-11), and from now on writes nothing more.
 */
export function holdPeer(peer: Peer, holder: Holder): Hold {
  if (peer.name !== null) {
    for (const older of [...peer.holders]) {
      if (older.connection === holder.connection) continue;
      peer.holders.delete(older);
      older.replace();
    }
  }
  peer.holders.add(holder);
  peer.gone = false;
  peer.hold = "opened";
  return {
    release(how) {
      if (!peer.holders.delete(holder)) return;
      // An open inbox asks for its messages all the time.
      peer.lastPolledAt = new Date();
      if (peer.holders.size > 0) return;
      peer.gone = how === "goodbye";
      peer.hold = how === "goodbye" ? "goodbye" : "closed";
    },
  };
}
