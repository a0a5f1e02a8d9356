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
import { createPeer, isPresent, type LivePeer, moveCursors, toProgress } from "./peer.js";
import { deriveStatus, type PeerObservation, type PresenceStatus } from "./status.js";

/** Tracks the peers that this broker has seen recently, and saves their cursors and activity. */
export interface Presence {
  /** Returns the one object in memory that represents a peer's row. */
  load(row: TeamWithPeer): LivePeer;
  find(peerId: string): LivePeer | undefined;
  /** Returns the ids of all peers that have an open inbox or a parked wait. */
  listPresentIds(): string[];
  /**
   * Returns, for each session, when any of its peers last polled for messages, or infinity while a peer is
   * waiting.
   */
  listLastPolls(): ReadonlyMap<string, number>;
  /**
   * Moves the peer's cursors. If the event needs data on disk, returns a promise that resolves once the data
   * is saved.
   */
  advance(peer: LivePeer, event: CursorEvent): Promise<void> | undefined;
  /** Records that the peer has made a call. */
  touch(peer: LivePeer): void;
  /** Records that the peer has polled for messages. */
  notePoll(peer: LivePeer): void;
  /**
   * Loads what other nodes have saved about the peer, and returns the end of the peer's feed. Returns undefined
   * if no other node exists. If the saved data is not enough, asks the other nodes to save their data, then
   * reads again.
   *
   * @param isEnough - returns whether the caller can continue with the current cursors
   */
  catchUp(peer: LivePeer, isEnough?: () => boolean): Promise<number | undefined> | undefined;
  /**
   * Saves the peer's activity on this node, so that other nodes see it: an inbox opened or closed, a wait
   * parked or ended, or a write.
   */
  noteActivity(peer: LivePeer): void;
  /**
   * Resolves once the peer's progress is visible to every node. Resolves immediately if no other node exists.
   */
  saveForOthers(peer: LivePeer): Promise<void>;
  /** Ends the inboxes of named peers whose inbox has since been opened on another node (NODE-6). */
  endReplaced(): Promise<void>;
  /** Ends the waits of peers that have left, on every node, as if the waits had timed out. */
  endWaits(sessionId: string, peerIds: readonly string[]): void;
  /** Saves the peer's progress with the next batch. */
  saveSoon(peer: LivePeer): void;
  /** Resolves once the peer's current progress is on disk. */
  save(peer: LivePeer): Promise<void>;
  /**
   * Drops absent peers whose progress is saved. Returns the sessions in which a peer's status has changed.
   */
  sweep(now: Date, thresholds: Parameters<typeof deriveStatus>[0]): Set<string>;
  stop(): Promise<void>;
}

/**
 * How long progress is collected before it is saved, if no reply waits for it. This keeps reading from
 * competing with posting for the disk.
 */
const collectMs = 50;
/**
 * Minimum interval between saves that change only `last_seen_at`. Pages show it in seconds, and memory has
 * the current value for live peers.
 */
const seenSaveMs = 5_000;
const dropAfterMs = 10 * 60_000;

export function startPresence(options: {
  database: Pick<Database, "orm">;
  bus: Bus;
  nodes: Pick<Nodes, "id" | "isAlone" | "settle">;
  log: Log;
  /** Called when more of the messages that a peer has acknowledged are on disk. */
  onAcked?: (sessionId: string, cursor: number) => void;
}): Presence {
  const { database, bus, nodes, log, onAcked } = options;
  const nodeId = nodes.isAlone ? null : nodes.id;
  const peers = new Map<string, LivePeer>();
  const seenSavedAt = new Map<string, number>();
  const statuses = new Map<string, PresenceStatus>();
  let dirty = new Set<LivePeer>();
  /** The batch that is being saved. */
  let savingPeers: ReadonlySet<LivePeer> = new Set();
  let saving: Promise<void> | null = null;
  let hurry = new AbortController();
  let isStopped = false;

  /** Resolves once all peers that were dirty at the time of the call are saved. */
  function flush(isUrgent: boolean): Promise<void> {
    if (isUrgent) hurry.abort();
    saving ??= saveDirty().finally(() => {
      saving = null;
    });
    return saving;
  }

  async function saveDirty(): Promise<void> {
    await delay(isStopped ? 0 : collectMs, undefined, { signal: hurry.signal }).catch(() => undefined);
    hurry = new AbortController();
    while (dirty.size > 0) {
      const batch = dirty;
      dirty = new Set();
      savingPeers = batch;
      try {
        await saveAll(batch);
      } catch (error) {
        // The peers stay dirty and are saved later. If the broker crashes first, messages are delivered
        // again, but none is lost.
        for (const peer of batch) dirty.add(peer);
        log.warn("Saving read cursors failed. The broker retries.", { error });
        if (isStopped) break;
        throw error;
      } finally {
        savingPeers = new Set();
      }
    }
  }

  function isUnsaved(peer: LivePeer): boolean {
    return dirty.has(peer) || savingPeers.has(peer);
  }

  async function saveAll(batch: ReadonlySet<LivePeer>): Promise<void> {
    const progress = [...batch].map((peer) => {
      return { peer, saved: takeProgress(peer), placements: peer.cursors.placements };
    });
    // Every node locks rows in the same order, so that two nodes that save the same peers cannot deadlock.
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

  function advance(peer: LivePeer, event: CursorEvent): Promise<void> | undefined {
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

  /**
   * Returns the progress to save. Leaves out the peer's connections if there is no other node to see them.
   */
  function takeProgress(peer: LivePeer): PeerProgress {
    const progress = toProgress(peer);
    peer.hold = null;
    return nodeId === null ? { ...progress, hold: null, inboxes: 0, waits: 0 } : progress;
  }

  function publishHolds(
    progress: readonly { readonly peer: LivePeer; readonly saved: PeerProgress }[],
  ): void {
    for (const { peer, saved } of progress) {
      if (saved.hold === "opened") bus.publish("held", { session: peer.sessionId, peer: peer.peerId });
      // The wait may have been the only sign of the peer's presence that other nodes could see.
      else if (saved.hold !== null) bus.publish("presence", { session: peer.sessionId });
    }
  }

  /**
   * Returns false while an inbox opened on this node is not saved, because until then it is unknown which
   * node opened the peer's inbox last.
   */
  function mayBeReplaced(peer: LivePeer | undefined): peer is LivePeer {
    return peer !== undefined && peer.name !== null && peer.holders.size > 0 && peer.hold === null;
  }

  async function endReplacedOf(held: readonly LivePeer[]): Promise<void> {
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

  function touch(peer: LivePeer): void {
    const now = new Date();
    peer.lastSeenAt = now;
    peer.hasSaidGoodbye = false;
    if (now.getTime() - (seenSavedAt.get(peer.peerId) ?? 0) < seenSaveMs) return;
    seenSavedAt.set(peer.peerId, now.getTime());
    saveSoon(peer);
  }

  async function catchUp(peer: LivePeer, isEnough = () => true): Promise<number | undefined> {
    const lastSequence = await readProgress(peer);
    if (isEnough()) return lastSequence;
    bus.publish("unsaved", { peer: peer.peerId });
    await nodes.settle();
    return readProgress(peer);
  }

  async function readProgress(peer: LivePeer): Promise<number | undefined> {
    const asOf = peer.cursors;
    const row = await findProgress(database.orm, peer.sessionId, peer.peerId);
    if (!row) return undefined;
    void advance(peer, { type: "loaded", row, asOf });
    peer.documentVersion = Math.max(peer.documentVersion, row.documentVersion);
    peer.name = row.name;
    // If this node has an unsaved count, that count is newer than the one in the database.
    if (peer.idlePolls === peer.idlePollsOnDisk) peer.idlePolls = row.idlePolls;
    peer.idlePollsOnDisk = row.idlePolls;
    return row.lastSequence;
  }

  async function save(peer: LivePeer): Promise<void> {
    dirty.add(peer);
    await flush(true);
    // The save in progress may have begun its last batch before this peer became dirty.
    if (dirty.has(peer)) await flush(true);
  }

  function saveSoon(peer: LivePeer): void {
    dirty.add(peer);
    flushSoon();
  }

  function flushSoon(): void {
    // The failure is logged. The peers are still dirty, so the next sweep retries.
    flush(false).catch(() => undefined);
  }

  return {
    load(row) {
      const known = peers.get(row.peer.peerId);
      if (known) {
        // The row may be older than the peer in memory, so only these fields are updated. catchUp() loads
        // what other nodes have saved.
        known.name = row.peer.name;
        return known;
      }
      const peer = createPeer(row);
      peers.set(peer.peerId, peer);
      return peer;
    },
    find: (peerId) => peers.get(peerId),
    listPresentIds: () => [...peers.values()].filter(isPresent).map(({ peerId }) => peerId),
    listLastPolls() {
      const polls = new Map<string, number>();
      for (const peer of peers.values()) {
        const at = isPresent(peer) ? Number.POSITIVE_INFINITY : (peer.lastPolledAt?.getTime() ?? 0);
        polls.set(peer.sessionId, Math.max(at, polls.get(peer.sessionId) ?? 0));
      }
      return polls;
    },
    advance,
    touch,
    notePoll(peer) {
      const isFirst = peer.lastPolledAt === null;
      touch(peer);
      peer.lastPolledAt = peer.lastSeenAt;
      // The first poll makes an unnamed peer a recipient. Later polls change nothing.
      if (isFirst) saveSoon(peer);
    },
    catchUp: (peer, isEnough) => (nodeId === null ? undefined : catchUp(peer, isEnough)),
    noteActivity(peer) {
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
        const status = deriveStatus(thresholds, toObservation(peer), now.getTime());
        // A peer that this node has not seen before is assumed to have been disconnected.
        if (status !== (statuses.get(peer.peerId) ?? "disconnected")) changed.add(peer.sessionId);
        statuses.set(peer.peerId, status);
        const quietMs = now.getTime() - (peer.lastSeenAt?.getTime() ?? 0);
        if (isPresent(peer) || dirty.has(peer) || quietMs < dropAfterMs) continue;
        peers.delete(peer.peerId);
        seenSavedAt.delete(peer.peerId);
        statuses.delete(peer.peerId);
      }
      return changed;
    },
    async stop() {
      isStopped = true;
      // The broker stops even without a database. Messages whose acknowledgement is unsaved are then
      // delivered again.
      await flush(true).catch(() => undefined);
    },
  };
}

/**
 * Returns what this node has seen of a peer. Whether the peer has left the session is stored in the roster.
 */
function toObservation({ waits, holders, hasSaidGoodbye, lastSeenAt }: LivePeer): PeerObservation {
  return {
    left: false,
    polling: waits.size > 0,
    connected: holders.size > 0,
    hasSaidGoodbye: hasSaidGoodbye,
    seenAt: lastSeenAt ?? new Date(0),
  };
}
