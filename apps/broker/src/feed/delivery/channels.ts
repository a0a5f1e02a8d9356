import { type Queryable, readFeedHeads, type StoredMessage } from "@merkle/db";
import type { ChangedKind, StateChangeFrame } from "@merkle/wire";
import type { Bus } from "../../core/bus/bus.js";
import { groupBy } from "../../core/group-by.js";
import type { Log } from "../../core/log.js";
import type { Metrics } from "../../core/metrics.js";
import { createChannel, type SessionChannel } from "./channel.js";
import type { RingBudget } from "./entry.js";
import { isConclusion, type MeshChannels, toMeshChanges } from "./mesh-channel.js";
import { createStatePushes, type StatePushes, type StateReceiver } from "./state-pushes.js";
import type { Sink } from "./subscription.js";
import { createThrottle } from "./throttle.js";

/** The channels of all sessions that currently have readers. */
export interface Channels {
  /**
   * Opens a session's channel, or returns it if already open. A channel stays open while readers are
   * attached.
   */
  open(sessionId: string): Promise<SessionChannel>;
  find(sessionId: string): SessionChannel | undefined;
  /**
   * Delivers a session's committed messages to the readers on this node, and sends a hint to the other nodes.
   */
  deliver(sessionId: string, messages: readonly StoredMessage[]): void;
  /** Delivers all messages in one flush, as `deliver` does. The messages may belong to several sessions. */
  deliverPosted(posted: readonly StoredMessage[]): void;
  announceChange(sessionId: string, kind: Exclude<ChangedKind, "delivery">, version: number): void;
  /** Announces that a peer has joined or left, at most once a second per session. */
  announcePresence(sessionId: string): void;
  /**
   * Announces a presence change for every session with readers on this node. Called when another node has
   * stopped, because the peers connected to it are gone too.
   */
  announceAllPresence(): void;
  /**
   * Announces that anything may have changed, in the sessions with readers on this node and in every mesh
   * (NODE-3). Used when hints may have been lost.
   */
  announceAnything(): void;
  /**
   * Announces that a peer has read up to a cursor, at most once a second per session and only if the session has readers.
   */
  announceDelivery(sessionId: string, cursor: number): void;
  /** Pushes the current value of a state key that belongs to a session or a mesh. */
  announceState(meshId: string, change: StateChangeFrame): void;
  /** The part that pushes state changes to the connections on this node. */
  readonly state: StatePushes;
  /**
   * Adds a connection that receives a mesh's state changes. If `meshId` is null, the connection receives only
   * the state of sessions that it follows.
   */
  receiveState(meshId: string | null, sink: Sink, cutOff: () => void): StateReceiver;
  /** Re-reads the heads of the feeds of all open channels, in case a hint was lost (OPS-8). */
  checkHeads(): Promise<void>;
  /** Closes channels that have had no readers for a while. */
  sweep(): void;
  stop(): void;
}

/** A channel that is being opened, with the hints that have arrived since opening began. */
interface PendingChannel {
  readonly hints: number[];
  readonly channel: Promise<SessionChannel>;
}

/** How long a channel without readers is kept. A client that polls over HTTP has no reader between two waits. */
const keepMs = 60_000;
/**
 * Minimum time between two hints about a fact that changes constantly, such as the presence of a session's
 * peers.
 */
const hintEveryMs = 1_000;

export function startChannels(options: {
  database: { orm: Queryable };
  bus: Bus;
  mesh: MeshChannels;
  metrics: Pick<Metrics, "caughtUp">;
  log: Log;
}): Channels {
  const { database, bus, mesh, metrics, log } = options;
  const budget: RingBudget = { bytes: 0 };
  const channels = new Map<string, SessionChannel>();
  const opening = new Map<string, PendingChannel>();
  const quietSince = new Map<string, number>();
  const statePushes = createStatePushes();
  const throttle = createThrottle(hintEveryMs);
  const isAlone = bus.kind === "local";

  /** Reads a feed's head and the messages that the channel lacks, unless the channel already has them. */
  async function catchUp(sessionId: string, sequence: number): Promise<void> {
    const channel = channels.get(sessionId) ?? (await opening.get(sessionId)?.channel);
    if (!channel || channel.head >= sequence) return;
    const [head] = await readFeedHeads(database.orm, [sessionId]);
    if (head) await channel.reach(head.lastSequence);
  }

  async function readDocumentVersion(sessionId: string): Promise<void> {
    if (!channels.get(sessionId)?.readers) return;
    const [head] = await readFeedHeads(database.orm, [sessionId]);
    if (head) channels.get(sessionId)?.announceChange("document", head.documentVersion);
  }

  function startOpening(sessionId: string): PendingChannel {
    // Hints that arrive between reading the head and registering the channel would be lost, so they are collected first.
    const hints: number[] = [];
    const pending = { hints, channel: openChannel(sessionId, hints) };
    opening.set(sessionId, pending);
    return pending;
  }

  async function openChannel(sessionId: string, hints: readonly number[]): Promise<SessionChannel> {
    try {
      const [head] = await readFeedHeads(database.orm, [sessionId]);
      if (!head) throw new TypeError(`There is no feed of session ${sessionId}.`);
      const channel = createChannel(
        {
          sessionId,
          head: head.lastSequence,
          isClosed: head.closedAt !== null,
          documentVersion: head.documentVersion,
        },
        { database, budget, log },
      );
      channels.set(sessionId, channel);
      for (const sequence of hints) channel.hint(sequence);
      return channel;
    } finally {
      opening.delete(sessionId);
    }
  }

  function deliver(sessionId: string, messages: readonly StoredMessage[]): void {
    const last = messages.at(-1);
    if (!last) return;
    channels.get(sessionId)?.accept(messages);
    opening.get(sessionId)?.hints.push(last.sequence);
    mesh.deliver(sessionId, messages);
    if (isAlone) return;
    bus.publish("feed", {
      ...{ session: sessionId, sequence: last.sequence, changes: toMeshChanges(messages) },
      ...(messages.some(isConclusion) && { closed: true }),
    });
  }

  function notifyPresence(sessionId: string): void {
    mesh.announceHere("sessions", sessionId);
    const channel = channels.get(sessionId);
    if (!channel?.readers) return;
    throttle.hint(`presence ${sessionId}`, () => channel.announceChange("roster", channel.head));
  }

  function notifyDelivery(sessionId: string, cursor: number): void {
    if (!channels.get(sessionId)?.readers) return;
    throttle.hint(`delivery ${sessionId}`, () => channels.get(sessionId)?.announceChange("delivery", cursor));
  }

  const subscriptions = [
    bus.on("feed", ({ session, sequence, changes }) => {
      for (const kind of changes) mesh.announceHere(kind, session);
      return catchUp(session, sequence);
    }),
    bus.on("changed", ({ session, kind }) => {
      const channel = channels.get(session);
      if (kind === "delivery") return channel && notifyDelivery(session, channel.head);
      mesh.announceHere("sessions", session);
      if (kind === "document") return readDocumentVersion(session);
      return channel?.announceChange(kind, channel.head);
    }),
    bus.on("presence", ({ session }) => notifyPresence(session)),
  ];

  return {
    async open(sessionId) {
      quietSince.delete(sessionId);
      const channel = channels.get(sessionId);
      if (channel) return channel;
      return (opening.get(sessionId) ?? startOpening(sessionId)).channel;
    },
    find: (sessionId) => channels.get(sessionId),
    deliver,
    deliverPosted(posted) {
      for (const [sessionId, messages] of groupBy(posted, (each) => each.session_id))
        deliver(sessionId, messages);
    },
    announceChange(sessionId, kind, version) {
      channels.get(sessionId)?.announceChange(kind, version);
      mesh.announceHere("sessions", sessionId);
      bus.publish("changed", { session: sessionId, kind });
    },
    announcePresence(sessionId) {
      notifyPresence(sessionId);
      bus.publish("presence", { session: sessionId });
    },
    announceAllPresence() {
      for (const [sessionId, { readers }] of channels) if (readers > 0) notifyPresence(sessionId);
    },
    announceAnything() {
      for (const channel of channels.values()) {
        for (const kind of ["roster", "session", "tasks", "usage"] as const) {
          if (channel.readers > 0)
            throttle.hint(`${kind} of ${channel.sessionId}`, () =>
              channel.announceChange(kind, channel.head),
            );
        }
      }
      mesh.announceAnything();
    },
    announceDelivery(sessionId, cursor) {
      notifyDelivery(sessionId, cursor);
      if (!isAlone)
        throttle.hint(`delivered ${sessionId}`, () =>
          bus.publish("changed", { session: sessionId, kind: "delivery" }),
        );
    },
    announceState(meshId, change) {
      statePushes.push(meshId, change);
      bus.publish("state", { mesh: meshId, session: change.session_id, key: change.key });
    },
    state: statePushes,
    receiveState: statePushes.open,
    async checkHeads() {
      const heads = await readFeedHeads(database.orm, [...channels.keys()]);
      for (const { sessionId, lastSequence, closedAt, documentVersion } of heads) {
        const channel = channels.get(sessionId);
        if (channel && channel.head < lastSequence) metrics.caughtUp.inc();
        channel?.hint(lastSequence);
        channel?.announceChange("document", documentVersion);
        if (closedAt) channel?.closeAt(lastSequence);
      }
    },
    sweep() {
      const now = Date.now();
      for (const [sessionId, channel] of channels) {
        if (channel.readers > 0) {
          quietSince.delete(sessionId);
          continue;
        }
        const since = quietSince.get(sessionId) ?? now;
        quietSince.set(sessionId, since);
        if (now - since < keepMs) continue;
        channel.dispose();
        channels.delete(sessionId);
        quietSince.delete(sessionId);
      }
    },
    stop() {
      for (const unsubscribe of subscriptions) unsubscribe();
      throttle.stop();
      for (const channel of channels.values()) channel.dispose();
      channels.clear();
    },
  };
}
