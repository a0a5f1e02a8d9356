import { channel } from "node:diagnostics_channel";
import type { PeerProgress, TeamWithPeer } from "@merkle/db";
import type { NudgeFrame, WakePath } from "@merkle/wire";
import { advance, type CursorEffect, type CursorEvent, type Cursors, createCursors } from "./cursors.js";

/** A wait that blocks. */
interface ParkedWait {
  /** Ends the wait as its timeout would. */
  expire(): void;
}

/** An open inbox of a peer. */
interface Holder {
  readonly connection: object;
  /** Asks the client to run its wake paths. Resolves with those that the client reports as run. */
  nudge(nudge: NudgeFrame): Promise<readonly WakePath[]>;
  /** Ends the connection, because a newer one has taken over the peer. */
  replace(): void;
}

/** A peer in this broker's memory. The database may be a little behind, never ahead unless another node wrote. */
export interface Peer {
  readonly sessionId: string;
  readonly peerId: string;
  readonly teamId: string;
  /** Null for a team's unnamed peer. */
  name: string | null;
  cursors: Cursors;
  /** True until the peer has received `resync`, because the database was restored. */
  resync: boolean;
  documentVersion: number;
  idlePolls: number;
  /** The count in the database. Another node may have raised it. */
  idlePollsOnDisk: number;
  lastSeenAt: Date | null;
  /** The time of the last wait, check or opened inbox. */
  lastPolledAt: Date | null;
  /** True after the last connection closed with a goodbye, until the next call. */
  hasSaidGoodbye: boolean;
  /** When an event that wakes nobody last ended a wait, on the clock of `performance` (DELIVER-4). */
  eventEndedWaitAt: number;
  /** Oldest first. */
  readonly waits: Set<ParkedWait>;
  /** Open inboxes, oldest first. At most one connection holds a named peer (PEER-11). */
  readonly holders: Set<Holder>;
  /** The last change of the inboxes that is not saved for other nodes yet. */
  hold: PeerProgress["hold"];
}

export function createPeer(row: TeamWithPeer): Peer {
  const { peerId, name, resync, documentVersion, idlePolls, lastSeenAt, lastPolledAt } = row.peer;
  return {
    sessionId: row.sessionId,
    peerId,
    teamId: row.teamId,
    name,
    cursors: createCursors(row.peer),
    resync,
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

/** A change of a peer's cursors, for tests that replay a real run. */
export interface CursorChange {
  readonly peer: Peer;
  readonly before: Cursors;
  readonly event: CursorEvent;
}

export const cursorChanges = channel("merkle.cursors");

/** Moves a peer's cursors, and returns the effect that the caller has to perform. */
export function moveCursors(peer: Peer, event: CursorEvent): CursorEffect | null {
  const before = peer.cursors;
  const { cursors, effect } = advance(before, event);
  peer.cursors = cursors;
  if (cursorChanges.hasSubscribers) cursorChanges.publish({ peer, before, event } satisfies CursorChange);
  return effect;
}

/** A client's connection, as the cursors know it. */
interface Line {
  readonly number: number;
  /** The peers to which replies were written over it since its last request. */
  readonly readers: Set<Peer>;
}

const lines = new WeakMap<object, Line>();
let linesCount = 0;

/** Returns the number that stands for a connection in cursor events. */
export function numberConnection(connection: object | undefined): number | undefined {
  return connection && lineOf(connection).number;
}

/** The same, of a connection over which a reply was written. Its next request confirms the reply. */
export function expectRequest(peer: Peer, connection: object | undefined): number | undefined {
  if (!connection) return undefined;
  const line = lineOf(connection);
  line.readers.add(peer);
  return line.number;
}

/**
 * Notes that a request came over an HTTP connection: its client has read every reply before it (CURSOR-6). The callers of a
 * client share its connections, so the request may be another peer's.
 */
export function noteRequest(connection: object): void {
  const line = lines.get(connection);
  if (!line) return;
  for (const peer of line.readers) moveCursors(peer, { type: "requested", connection: line.number });
  line.readers.clear();
}

function lineOf(connection: object): Line {
  const known = lines.get(connection);
  if (known) return known;
  linesCount += 1;
  const line = { number: linesCount, readers: new Set<Peer>() };
  lines.set(connection, line);
  return line;
}

export function isPresent(peer: Peer): boolean {
  return peer.waits.size > 0 || peer.holders.size > 0;
}

export function toProgress(peer: Peer): PeerProgress {
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

/** An inbox's hold of its peer. */
export interface Hold {
  /** Ends the hold. After a goodbye, a peer without another open inbox is disconnected at once (PEER-12). */
  release(how: "goodbye" | "lost"): void;
}

/**
 * Notes that a connection holds a peer. A named peer belongs to one agent: every other connection that holds the peer is
 * ended as replaced (PEER-11), and writes nothing from now on.
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
  peer.hasSaidGoodbye = false;
  peer.hold = "opened";
  return {
    release(how) {
      if (!peer.holders.delete(holder)) return;
      // An open inbox asks for its messages all the time.
      peer.lastPolledAt = new Date();
      if (peer.holders.size > 0) return;
      peer.hasSaidGoodbye = how === "goodbye";
      peer.hold = how === "goodbye" ? "goodbye" : "closed";
    },
  };
}
