import { channel } from "node:diagnostics_channel";
import type { PeerProgress, TeamWithPeer } from "@merkle/db";
import type { NudgeFrame, WakePath } from "@merkle/wire";
import { advance, type CursorEffect, type CursorEvent, type Cursors, createCursors } from "./cursors.js";

/** A blocked wait of a peer. */
interface ParkedWait {
  /** Ends the wait as if it had timed out. */
  expire(): void;
}

/** A connection with an open inbox for a peer. */
interface InboxHolder {
  readonly connection: object;
  /** Asks the client to run its wake paths. Resolves with the wake paths that the client reports as run. */
  nudge(nudge: NudgeFrame): Promise<readonly WakePath[]>;
  /** Ends the connection, because a newer connection has taken over the peer. */
  replace(): void;
}

/**
 * A peer in this broker's memory. The database may be slightly behind, and is ahead only if another node has
 * written to it.
 */
export interface LivePeer {
  readonly sessionId: string;
  readonly peerId: string;
  readonly teamId: string;
  /** Name of the peer. Null for a team's unnamed peer. */
  name: string | null;
  cursors: Cursors;
  /** True until the peer has received the `resync` error after a restore of the database. */
  needsResync: boolean;
  documentVersion: number;
  idlePolls: number;
  /** The number of idle polls in the database. Another node may have increased it. */
  idlePollsOnDisk: number;
  lastSeenAt: Date | null;
  /** When the peer last started a wait, made a check or opened an inbox. */
  lastPolledAt: Date | null;
  /** True if the last connection closed with a goodbye and the peer has made no call since. */
  hasSaidGoodbye: boolean;
  /**
   * When an event that wakes no one last ended one of the peer's waits, in `performance.now()` time
   * (DELIVER-4).
   */
  eventEndedWaitAt: number;
  /** Parked waits, oldest first. */
  readonly waits: Set<ParkedWait>;
  /** Open inboxes, oldest first. Only one connection can have a named peer's inbox open (PEER-11). */
  readonly holders: Set<InboxHolder>;
  /** The latest opening or closing of an inbox, if it is not yet saved for other nodes. */
  hold: PeerProgress["hold"];
}

export function createPeer(row: TeamWithPeer): LivePeer {
  const { peerId, name, resync, documentVersion, idlePolls, lastSeenAt, lastPolledAt } = row.peer;
  return {
    sessionId: row.sessionId,
    peerId,
    teamId: row.teamId,
    name,
    cursors: createCursors(row.peer),
    needsResync: resync,
    documentVersion,
    idlePolls,
    idlePollsOnDisk: idlePolls,
    lastSeenAt,
    lastPolledAt,
    hasSaidGoodbye: false,
    eventEndedWaitAt: Number.NEGATIVE_INFINITY,
    waits: new Set(),
    holders: new Set(),
    hold: null,
  };
}

/** A change to a peer's cursors, recorded for tests that replay a real run. */
export interface CursorChange {
  readonly peer: LivePeer;
  readonly before: Cursors;
  readonly event: CursorEvent;
}

export const cursorChanges = channel("merkle.cursors");

/** Moves a peer's cursors. Returns the effect that the caller must carry out. */
export function moveCursors(peer: LivePeer, event: CursorEvent): CursorEffect | null {
  const before = peer.cursors;
  const { cursors, effect } = advance(before, event);
  peer.cursors = cursors;
  if (cursorChanges.hasSubscribers) cursorChanges.publish({ peer, before, event } satisfies CursorChange);
  return effect;
}

/** A client's connection, with the number by which cursor events refer to it. */
interface NumberedConnection {
  readonly number: number;
  /** The peers to which replies were written over this connection since its last request. */
  readonly readers: Set<LivePeer>;
}

const connections = new WeakMap<object, NumberedConnection>();
let connectionsCount = 0;

/** Returns the number by which cursor events refer to a connection. */
export function numberConnection(connection: object | undefined): number | undefined {
  return connection && getNumberedConnection(connection).number;
}

/**
 * Returns the number of a connection over which a reply was just written. The connection's next request
 * confirms that the reply arrived.
 */
export function expectRequest(peer: LivePeer, connection: object | undefined): number | undefined {
  if (!connection) return undefined;
  const numbered = getNumberedConnection(connection);
  numbered.readers.add(peer);
  return numbered.number;
}

/**
 * Records that a request arrived over an HTTP connection, which shows that its client has read every earlier
 * reply (CURSOR-6). All peers of a client share its connections, so the request may come from another peer.
 */
export function noteRequest(connection: object): void {
  const numbered = connections.get(connection);
  if (!numbered) return;
  for (const peer of numbered.readers) moveCursors(peer, { type: "requested", connection: numbered.number });
  numbered.readers.clear();
}

function getNumberedConnection(connection: object): NumberedConnection {
  const known = connections.get(connection);
  if (known) return known;
  connectionsCount += 1;
  const numbered = { number: connectionsCount, readers: new Set<LivePeer>() };
  connections.set(connection, numbered);
  return numbered;
}

export function isPresent(peer: LivePeer): boolean {
  return peer.waits.size > 0 || peer.holders.size > 0;
}

export function toProgress(peer: LivePeer): PeerProgress {
  const { sessionId, peerId, cursors, hold } = peer;
  const { documentVersion, idlePolls, idlePollsOnDisk, lastSeenAt, lastPolledAt } = peer;
  return {
    sessionId,
    peerId,
    acked: cursors.acked,
    acknowledged: cursors.ackedByPeer,
    ackedBefore: cursors.ackedSaved,
    offered: cursors.offered,
    returned: cursors.returned,
    repeated: cursors.repeated,
    documentVersion,
    idlePolls: idlePolls === idlePollsOnDisk ? null : idlePolls,
    lastSeenAt,
    lastPolledAt,
    hold,
    inboxes: peer.holders.size,
    waits: peer.waits.size,
  };
}

/** A connection's hold on a peer, which lasts while the connection has the peer's inbox open. */
export interface InboxHold {
  /**
   * Ends the hold. After a goodbye, a peer without another open inbox is shown as disconnected immediately
   * (PEER-12).
   */
  release(reason: "goodbye" | "lost"): void;
}

/**
 * Records that a connection has opened a peer's inbox. A named peer belongs to one agent, so every other
 * connection with this peer's inbox is replaced (PEER-11) and can no longer write.
 */
export function holdPeer(peer: LivePeer, holder: InboxHolder): InboxHold {
  if (peer.name !== null) {
    for (const older of [...peer.holders]) {
      if (older.connection === holder.connection) continue;
      peer.holders.delete(older);
      older.replace();
    }
  }
  peer.holders.add(holder);
  peer.hasSaidGoodbye = false;
  peer.hold = "opened";
  return {
    release(reason) {
      if (!peer.holders.delete(holder)) return;
      // An open inbox counts as a continuous poll.
      peer.lastPolledAt = new Date();
      if (peer.holders.size > 0) return;
      peer.hasSaidGoodbye = reason === "goodbye";
      peer.hold = reason === "goodbye" ? "goodbye" : "closed";
    },
  };
}
