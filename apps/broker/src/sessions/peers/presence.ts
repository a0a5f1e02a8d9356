import { setTimeout as delay } from "node:timers/promises";
import {
  type Database,
  findProgress,
  listHeldElsewhere,
  listLeftPeers,
  type PeerProgress,
  saveProgress,
  type TeamWithPeer,
} from "@merkle/db";
import type { Bus } from "../../core/bus/bus.js";
import type { Log } from "../../core/log.js";
import type { Nodes } from "../../core/nodes.js";
import type { CursorEvent } from "./cursors.js";
import { createPeer, isPresent, moveCursors, type Peer, toProgress } from "./peer.js";
import { deriveStatus, type Sighting, type Status } from "./status.js";

/** The peers that this broker has seen recently. Saves their progress. */
export interface Presence {
  /** Returns the one object in memory for a peer's row. */
  load(row: TeamWithPeer): Peer;
  find(peerId: string): Peer | undefined;
  /** Returns the ids of the peers with an open inbox or a parked wait. */
  present(): string[];
  /** By session, when a peer last asked for its messages; infinity while a peer waits. */
  polls(): ReadonlyMap<string, number>;
  /** Moves the peer's cursors. The promise, if any, resolves when what the event must have on disk is saved. */
  advance(peer: Peer, event: CursorEvent): Promise<void> | undefined;
  /** Notes that the peer has made a call. */
  touch(peer: Peer): void;
  /** Notes that the peer has asked for its messages. */
  poll(peer: Peer): void;
  /**
   * Reads what other nodes have saved of the peer, and returns the end of its feed. Returns undefined if no other node
   * exists. If that is not enough, asks the other nodes to save first, and reads again.
   *
   * @param isEnough - true if the caller can continue with the present cursors
   */
  catchUp(peer: Peer, isEnough?: () => boolean): Promise<number | undefined> | undefined;
  /** Saves for other nodes that an inbox was opened or closed, a wait parked or ended, or that the peer wrote. */
  noteHere(peer: Peer): void;
  /** Resolves when the peer's progress is visible to every node; at once if no other node exists. */
  saveForOthers(peer: Peer): Promise<void>;
  /** Ends the inboxes of named peers that have since been opened at another node (NODE-6). */
  endReplaced(): Promise<void>;
  /** Ends the waits of peers that have left, at every node, as their timeout would. */
  endWaits(sessionId: string, peerIds: readonly string[]): void;
  /** Saves the peer's progress with the next batch. */
  saveSoon(peer: Peer): void;
  /** Resolves when the peer's present progress is on disk. */
  save(peer: Peer): Promise<void>;
  /** Drops peers that are absent and saved. Returns the sessions in which a peer's status has changed. */
  sweep(now: Date, thresholds: Parameters<typeof deriveStatus>[0]): Set<string>;
  stop(): Promise<void>;
}

/** Collects progress that no reply waits for, so that reading does not compete with posting for the disk. */
const collectMs = 50;
/** The interval at which `last_seen_at` alone is saved: pages show it in seconds, and memory has it for live peers. */
const seenSaveMs = 5_000;
const forgetAfterMs = 10 * 60_000;

export function startPresence(options: {
  database: Pick<Database, "orm">;
  bus: Bus;
  nodes: Pick<Nodes, "id" | "alone" | "settle">;
  log: Log;
  /** Called when more of what a peer has acknowledged is on disk. */
  onAcked?: (sessionId: string, cursor: number) => void;
}): Presence {
  const { database, bus, nodes, log, onAcked } = options;
  const nodeId = nodes.alone ? null : nodes.id;
  const peers = new Map<string, Peer>();
  const seenSavedAt = new Map<string, number>();
  const statuses = new Map<string, Status>();
  let dirty = new Set<Peer>();
  /** The batch that is being saved. */
  let underWay: ReadonlySet<Peer> = new Set();
  let saving: Promise<void> | null = null;
  let hurry = new AbortController();
  let stopped = false;

  /** Resolves once everything that was dirty when it was called is saved. */
  function flush(urgent: boolean): Promise<void> {
    if (urgent) hurry.abort();
    saving ??= run().finally(() => {
      saving = null;
    });
    return saving;
  }

  async function run(): Promise<void> {
    await delay(stopped ? 0 : collectMs, undefined, { signal: hurry.signal }).catch(() => undefined);
    hurry = new AbortController();
    while (dirty.size > 0) {
      const batch = dirty;
      dirty = new Set();
      underWay = batch;
      try {
        await saveAll(batch);
      } catch (error) {
        // The database may be behind: after a crash messages are delivered again, and none is lost.
        for (const peer of batch) dirty.add(peer);
        log.warn("Saving read cursors failed. The broker retries.", { error });
        if (stopped) break;
        throw error;
      } finally {
        underWay = new Set();
      }
    }
  }

  function isUnsaved(peer: Peer): boolean {
    return dirty.has(peer) || underWay.has(peer);
  }

  async function saveAll(batch: ReadonlySet<Peer>): Promise<void> {
    const progress = [...batch].map((peer) => {
      return { peer, saved: takeProgress(peer), placements: peer.cursors.placements };
    });
    // Every node locks in one order, so that two nodes that save the same peers cannot deadlock.
    progress.sort((one, other) => (one.peer.peerId < other.peer.peerId ? -1 : 1));
    try {
      await saveProgress(
        database.orm,
        nodeId,
        progress.map(({ saved }) => saved),
      );
    } catch (error) {
      for (const { peer, saved } of progress) peer.hold ??= saved.hold;
      throw error;
    }
    publishHolds(progress);
    for (const { peer, saved, placements } of progress) {
      peer.idlePollsOnDisk = saved.idlePolls ?? peer.idlePollsOnDisk;
      void advance(peer, { type: "saved", acked: saved.acked, placements });
    }
  }

  function advance(peer: Peer, event: CursorEvent): Promise<void> | undefined {
    switch (moveCursors(peer, event)) {
      case "save":
        return save(peer);
      case "save soon":
        saveSoon(peer);
        return undefined;
      case "report acked":
        onAcked?.(peer.sessionId, peer.cursors.ackedSaved);
        return undefined;
      case null:
        return undefined;
    }
  }

  /** Leaves out where the peer is connected if no other node can ask. */
  function takeProgress(peer: Peer): PeerProgress {
    const progress = toProgress(peer);
    peer.hold = null;
    return nodeId === null ? { ...progress, hold: null, inboxes: 0, waits: 0 } : progress;
  }

  function publishHolds(progress: readonly { readonly peer: Peer; readonly saved: PeerProgress }[]): void {
    for (const { peer, saved } of progress) {
      if (saved.hold === "opened") bus.publish("held", { session: peer.sessionId, peer: peer.peerId });
      // A wait at this node may have been all that other nodes had seen of the peer.
      else if (saved.hold !== null) bus.publish("presence", { session: peer.sessionId });
    }
  }

  /** False while the opening of an inbox here is unsaved: the order of the two nodes is not known yet. */
  function mayBeReplaced(peer: Peer | undefined): peer is Peer {
    return peer !== undefined && peer.name !== null && peer.holders.size > 0 && peer.hold === null;
  }

  async function endReplacedOf(held: readonly Peer[]): Promise<void> {
    if (nodeId === null) return;
    await saving?.catch(() => undefined);
    for (const peerId of await listHeldElsewhere(database.orm, nodeId, held.filter(mayBeReplaced))) {
      const peer = peers.get(peerId);
      if (!mayBeReplaced(peer)) continue;
      for (const holder of [...peer.holders]) {
        peer.holders.delete(holder);
        holder.replace();
      }
    }
  }

  function endWaitsHere(peerIds: readonly string[]): void {
    for (const id of peerIds) for (const wait of peers.get(id)?.waits ?? []) wait.expire();
  }

  bus.on("unsaved", ({ peer: peerId }) => {
    const peer = peers.get(peerId);
    return peer && isUnsaved(peer) ? save(peer) : undefined;
  });
  bus.on("left", async ({ session }) => {
    const waiting = [...peers.values()].filter(
      ({ sessionId, waits }) => sessionId === session && waits.size > 0,
    );
    const ids = waiting.map(({ peerId }) => peerId);
    endWaitsHere(await listLeftPeers(database.orm, session, ids));
  });
  bus.on("held", ({ peer: peerId }) => {
    const peer = peers.get(peerId);
    return peer?.holders.size ? endReplacedOf([peer]) : undefined;
  });

  function touch(peer: Peer): void {
    const now = new Date();
    peer.lastSeenAt = now;
    peer.hasSaidGoodbye = false;
    if (now.getTime() - (seenSavedAt.get(peer.peerId) ?? 0) < seenSaveMs) return;
    seenSavedAt.set(peer.peerId, now.getTime());
    saveSoon(peer);
  }

  async function catchUp(peer: Peer, isEnough = () => true): Promise<number | undefined> {
    const end = await readProgress(peer);
    if (isEnough()) return end;
    bus.publish("unsaved", { peer: peer.peerId });
    await nodes.settle();
    return readProgress(peer);
  }

  async function readProgress(peer: Peer): Promise<number | undefined> {
    const asOf = peer.cursors;
    const row = await findProgress(database.orm, peer.sessionId, peer.peerId);
    if (!row) return undefined;
    void advance(peer, { type: "loaded", row, asOf });
    peer.documentVersion = Math.max(peer.documentVersion, row.documentVersion);
    peer.name = row.name;
    // An unsaved count of this node is newer than the database's.
    if (peer.idlePolls === peer.idlePollsOnDisk) peer.idlePolls = row.idlePolls;
    peer.idlePollsOnDisk = row.idlePolls;
    return row.lastSequence;
  }

  async function save(peer: Peer): Promise<void> {
    dirty.add(peer);
    await flush(true);
    // A run that had taken its last batch has missed this peer.
    if (dirty.has(peer)) await flush(true);
  }

  function saveSoon(peer: Peer): void {
    dirty.add(peer);
    flushSoon();
  }

  function flushSoon(): void {
    // The failure is logged and the peers are still dirty, so the next sweep retries.
    flush(false).catch(() => undefined);
  }

  return {
    load(row) {
      const known = peers.get(row.peer.peerId);
      if (known) {
        // The row may be older than memory. What other nodes have saved comes with catchUp().
        known.name = row.peer.name;
        return known;
      }
      const peer = createPeer(row);
      peers.set(peer.peerId, peer);
      return peer;
    },
    find: (peerId) => peers.get(peerId),
    present: () => [...peers.values()].filter(isPresent).map(({ peerId }) => peerId),
    polls() {
      const polls = new Map<string, number>();
      for (const peer of peers.values()) {
        const at = isPresent(peer) ? Number.POSITIVE_INFINITY : (peer.lastPolledAt?.getTime() ?? 0);
        polls.set(peer.sessionId, Math.max(at, polls.get(peer.sessionId) ?? 0));
      }
      return polls;
    },
    advance,
    touch,
    poll(peer) {
      const first = peer.lastPolledAt === null;
      touch(peer);
      peer.lastPolledAt = peer.lastSeenAt;
      // The first poll makes an unnamed peer a recipient. Later polls change nothing.
      if (first) saveSoon(peer);
    },
    catchUp: (peer, isEnough) => (nodeId === null ? undefined : catchUp(peer, isEnough)),
    noteHere(peer) {
      if (nodeId !== null) saveSoon(peer);
    },
    endWaits(sessionId, peerIds) {
      endWaitsHere(peerIds);
      bus.publish("left", { session: sessionId });
    },
    endReplaced: () => endReplacedOf([...peers.values()].filter(({ holders }) => holders.size > 0)),
    saveSoon,
    save,
    saveForOthers: async (peer) => {
      if (nodeId !== null && isUnsaved(peer)) await save(peer);
    },
    sweep(now, thresholds) {
      if (dirty.size > 0) flushSoon();
      const changed = new Set<string>();
      for (const peer of peers.values()) {
        const status = deriveStatus(thresholds, toSighting(peer), now.getTime());
        // A peer that this node had not seen was shown as disconnected.
        if (status !== (statuses.get(peer.peerId) ?? "disconnected")) changed.add(peer.sessionId);
        statuses.set(peer.peerId, status);
        const quietMs = now.getTime() - (peer.lastSeenAt?.getTime() ?? 0);
        if (isPresent(peer) || dirty.has(peer) || quietMs < forgetAfterMs) continue;
        peers.delete(peer.peerId);
        seenSavedAt.delete(peer.peerId);
        statuses.delete(peer.peerId);
      }
      return changed;
    },
    async stop() {
      stopped = true;
      // Without a database the broker stops all the same: unsaved messages are delivered again.
      await flush(true).catch(() => undefined);
    },
  };
}

/** Returns what this node saw of a peer. Whether the peer has left is in the roster. */
function toSighting({ waits, holders, hasSaidGoodbye, lastSeenAt }: Peer): Sighting {
  return {
    left: false,
    polling: waits.size > 0,
    connected: holders.size > 0,
    gone: hasSaidGoodbye,
    seenAt: lastSeenAt ?? new Date(0),
  };
}
