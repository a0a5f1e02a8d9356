import type { Log } from "../log.js";
import type { IgnoredBy } from "./envelope.js";
import type { HintKind, Hints } from "./hints.js";

export type HintListener<Kind extends HintKind> = (hint: Hints[Kind]) => unknown;

/** Carries hints between the nodes on one database (NODE-1). A lost hint costs time, never a message. */
export interface Bus {
  /** The kind of bus. `local` is for a single node, where work that only produces hints can be skipped. */
  readonly kind: "local" | "postgres" | "nats";
  /** Whether hints can be sent and received now, as far as this node knows. */
  readonly isUp: boolean;
  /** Number of messages and hints that were ignored, by reason (NODE-15). */
  readonly ignored: Readonly<Record<IgnoredBy, number>>;
  /**
   * Returns whether hints from another node arrive. They do not if that node runs an earlier version or uses
   * a different key, and this node then relies on sweeps.
   */
  isReceivingFrom(nodeId: string): boolean;
  /**
   * Tells the other nodes that this node is alive. Call every few seconds.
   *
   * @param hasUnheardNodes - whether hints from at least one node are not arriving
   */
  sendHeartbeat(hasUnheardNodes: boolean): void;
  /**
   * Queues a hint, which is sent to the other nodes soon, together with other hints. Never waits and never
   * fails.
   */
  publish<Kind extends HintKind>(kind: Kind, hint: Hints[Kind]): void;
  /**
   * Calls a listener for each hint of a kind from another node. A slow listener should return a promise.
   * Returns a function that removes the listener.
   */
  on<Kind extends HintKind>(kind: Kind, listener: HintListener<Kind>): () => void;
  /** Resolves once the listeners have handled all hints received so far. */
  waitForListeners(): Promise<void>;
  /** Sends the waiting hints and closes the connection. */
  stop(): Promise<void>;
}

/** Starts a bus that sends nothing, for a node that is alone on its database. */
export function startLocalBus(): Bus {
  return {
    kind: "local",
    isUp: true,
    ignored: { unsigned: 0, malformed: 0, repeated: 0 },
    isReceivingFrom: () => true,
    sendHeartbeat: () => undefined,
    publish: () => undefined,
    on: () => () => undefined,
    waitForListeners: async () => undefined,
    stop: async () => undefined,
  };
}

/** The listeners of each kind of hint. */
export interface HintListeners {
  on: Bus["on"];
  waitForListeners: Bus["waitForListeners"];
  notify<Kind extends HintKind>(kind: Kind, hint: Hints[Kind]): void;
}

/** Creates an empty set of listeners. An error in one listener does not affect the others. */
export function createHintListeners(log: Log): HintListeners {
  const listeners = new Map<string, Set<(hint: never) => unknown>>();
  const pendingCalls = new Set<Promise<unknown>>();

  function trackCall(kind: HintKind, result: unknown): void {
    if (!(result instanceof Promise)) return;
    const settled = result
      .catch((error: unknown) => warn(kind, error))
      .finally(() => pendingCalls.delete(settled));
    pendingCalls.add(settled);
  }

  function warn(kind: HintKind, error: unknown): void {
    log.warn("a hint from another node could not be processed; the next sweep catches up", { kind, error });
  }

  return {
    on(kind, listener) {
      const ofKind = listeners.get(kind) ?? new Set();
      listeners.set(kind, ofKind.add(listener));
      return () => ofKind.delete(listener);
    },
    notify(kind, hint) {
      for (const listener of listeners.get(kind) ?? []) {
        try {
          trackCall(kind, listener(hint as never));
        } catch (error) {
          warn(kind, error);
        }
      }
    },
    async waitForListeners() {
      await Promise.all(pendingCalls);
    },
  };
}
