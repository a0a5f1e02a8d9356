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
import { createPeer, isPresent, type Peer, refreshPeer, toProgress } from "./peer.js";
import { deriveStatus, type Sighting, type Status } from "./status.js";

/** The peers that this broker has seen lately, and the saving of their progress. */
export interface Presence {
  /** The one live object for a peer's row. */
  load(row: TeamWithPeer): Peer;
  find(peerId: string): Peer | undefined;
  /** The ids of the peers that are connected, or wait. */
  present(): string[];
  /** When one of a session's peers last asked for its messages, of the sessions seen lately; for ever while one waits. */
  polls(): ReadonlyMap<string, number>;
  /** Notes that the peer called just now. */
  touch(peer: Peer): void;
  /** Notes that the peer asks for its messages just now. */
  poll(peer: Peer): void;
  /**
   * Takes over what other nodes know of the peer, and returns the end of its feed; undefined where there are none. Where that is
   * not enough, they are asked to save what they have not saved yet.
   *
   * @param isEnough - whether the caller can go on with what is known now
   */
  catchUp(peer: Peer, isEnough?: () => boolean): Promise<number | undefined> | undefined;
  /** Notes what other nodes are to know of the peer: an inbox was opened or closed, a wait was parked or has ended, it wrote. */
  noteHere(peer: Peer): void;
  /** Resolves when every node can know what this one knows of the peer, at once where there is but one. */
  saveForOthers(peer: Peer): Promise<void>;
  /** Ends the inboxes of named peers that were opened at another node since (NODE-6). */
  endReplaced(): Promise<void>;
  /** Answers the waits of peers that have left, at every node, as at their timeout. */
  endWaits(sessionId: string, peerIds: readonly string[]): void;
  /** Saves the peer's progress together with that of others, soon. */
  saveSoon(peer: Peer): void;
  /** Resolves when the peer's present progress is on disk. */
  save(peer: Peer): Promise<void>;
  /** Drops peers that are gone and saved; called now and then. Returns the sessions where a peer's status is another now. */
  sweep(now: Date, thresholds: Parameters<typeof deriveStatus>[0]): Set<string>;
  stop(): Promise<void>;
}

/** Progress that nobody waits for is collected this long, so that reading does not compete with posting for the disk. */
const collectMs = 50;
/** `last_seen_at` alone is saved this rarely: it is shown in seconds, and other facts of a live peer are in memory. */
const seenSaveMs = 5_000;
const forgetAfterMs = 10 * 60_000;

export function startPresence(options: {
  database: Pick<Database, "orm">;
  bus: Bus;
  nodes: Pick<Nodes, "id" | "alone" | "settle">;
  log: Log;
  /** Told when what a peer has acknowledged is on disk, and further than before. */
  onAcked?: (sessionId: string, cursor: number) => void;
}): Presence {
  const { database, bus, nodes, log, onAcked } = options;
  const nodeId = nodes.alone ? null : nodes.id;
  const peers = new Map<string, Peer>();
  const seenSavedAt = new Map<string, number>();
  const statuses = new Map<string, Status>();
  let dirty = new Set<Peer>();
  /** Those that are on their way to the database. */
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
        // Cursors in the database may be older than in memory: after a crash messages come again, none is lost.
        for (const peer of batch) dirty.add(peer);
        log.warn("saving read cursors failed; it is tried again", { error });
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
    const progress = [...batch].map((peer) => ({ peer, saved: takeProgress(peer) }));
    // In one order at every node, so that two that save the same peers do not hold each other up.
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
    tellHolds(progress);
    for (const { peer, saved } of progress) {
      peer.idlePollsOnDisk = saved.idlePolls ?? peer.idlePollsOnDisk;
      if (saved.acked <= peer.ackedOnDisk) continue;
      peer.ackedOnDisk = saved.acked;
      onAcked?.(peer.sessionId, saved.acked);
    }
  }

  /** Where this node is alone nobody asks where a peer is. */
  function takeProgress(peer: Peer): PeerProgress {
    const progress = toProgress(peer);
    peer.hold = null;
    return nodeId === null ? { ...progress, hold: null, inboxes: 0, waits: 0 } : progress;
  }

  function tellHolds(progress: readonly { readonly peer: Peer; readonly saved: PeerProgress }[]): void {
    for (const { peer, saved } of progress) {
      if (saved.hold === "opened") bus.publish("held", { session: peer.sessionId, peer: peer.peerId });
      // A wait here may have been all that others knew of the peer.
      else if (saved.hold !== null) bus.publish("presence", { session: peer.sessionId });
    }
  }

  /** Of a peer whose own opening is yet to be saved nobody can say who held it last. */
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
    peer.gone = false;
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
    const row = await findProgress(database.orm, peer.sessionId, peer.peerId);
    if (!row) return undefined;
    refreshPeer(peer, row);
    // Another node counts on from there; what is yet to be saved here is newer.
    if (peer.idlePolls === peer.idlePollsOnDisk) peer.idlePolls = row.idlePolls;
    peer.idlePollsOnDisk = row.idlePolls;
    return row.lastSequence;
  }

  async function save(peer: Peer): Promise<void> {
    dirty.add(peer);
    await flush(true);
    // A run that was already past its last batch has not seen this one.
    if (dirty.has(peer)) await flush(true);
  }

  function saveSoon(peer: Peer): void {
    dirty.add(peer);
    flushSoon();
  }

  function flushSoon(): void {
    // It has been logged, and the peers are dirty still: the next sweep tries again, until it holds.
    flush(false).catch(() => undefined);
  }

  return {
    load(row) {
      const known = peers.get(row.peer.peerId);
      if (known) {
        refreshPeer(known, row.peer);
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
    touch,
    poll(peer) {
      const first = peer.lastPolledAt === null;
      touch(peer);
      peer.lastPolledAt = peer.lastSeenAt;
      // It makes an unnamed peer a recipient, which later polls only confirm.
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
        // One that was not known here was not there, as far as anybody could see.
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
      // Without a database it ends all the same: what is not saved is handed out again.
      await flush(true).catch(() => undefined);
    },
  };
}

/** Returns what was seen of a peer here; that it has left is told by other means. */
function toSighting({ waits, holders, gone, lastSeenAt }: Peer): Sighting {
  return {
    left: false,
    polling: waits.size > 0,
    connected: holders.size > 0,
    gone,
    seenAt: lastSeenAt ?? new Date(0),
  };
}
