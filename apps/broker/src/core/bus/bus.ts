import type { Log } from "../log.js";
import type { IgnoredBy } from "./envelope.js";
import type { HintKind, Hints } from "./hints.js";

export type HintListener<Kind extends HintKind> = (hint: Hints[Kind]) => unknown;

/** Carries hints between the nodes on one database (NODE-1). What it loses costs time, never a message. */
export interface Bus {
  /** `local` is the bus of a node that is alone: whoever would work for a hint need not begin. */
  readonly kind: "local" | "postgres" | "nats";
  /** Whether hints go out and come in at this moment, as far as is known. */
  readonly isUp: boolean;
  /** How many messages and hints were ignored, by the reason (NODE-15). */
  readonly ignored: Readonly<Record<IgnoredBy, number>>;
  /** Whether hints of another node arrive. Those of an earlier version, or with another key, do not: sweeps stand in for them. */
  hears(nodeId: string): boolean;
  /**
   * Has the others hear of this node; to be called every few seconds.
   *
   * @param hasUnheard - whether a node is there that this one does not hear
   */
  beat(hasUnheard: boolean): void;
  /** Tells the other nodes, soon and together with what else there is. Never waits, never fails. */
  publish<Kind extends HintKind>(kind: Kind, hint: Hints[Kind]): void;
  /** Calls a listener at each hint of a kind from another node; returns how to stop. One that takes time says when it has ended. */
  on<Kind extends HintKind>(kind: Kind, listener: HintListener<Kind>): () => void;
  /** Resolves when listeners have ended with the hints that came in until now. */
  followed(): Promise<void>;
  /** Sends what waits, and closes the connection. */
  stop(): Promise<void>;
}

/** The bus of a node that is alone on its database, which has nobody to tell. */
export function startLocalBus(): Bus {
  return {
    kind: "local",
    isUp: true,
    ignored: { unsigned: 0, malformed: 0, repeated: 0 },
    hears: () => true,
    beat: () => undefined,
    publish: () => undefined,
    on: () => () => undefined,
    followed: async () => undefined,
    stop: async () => undefined,
  };
}

/** Who is told of which hints. */
export interface HintListeners {
  on: Bus["on"];
  followed: Bus["followed"];
  tell<Kind extends HintKind>(kind: Kind, hint: Hints[Kind]): void;
}

/** A listener that fails keeps no other from being told. */
export function createHintListeners(log: Log): HintListeners {
  const listeners = new Map<string, Set<(hint: never) => unknown>>();
  const underWay = new Set<Promise<unknown>>();

  function follow(kind: HintKind, following: unknown): void {
    if (!(following instanceof Promise)) return;
    const ended = following
      .catch((error: unknown) => warn(kind, error))
      .finally(() => underWay.delete(ended));
    underWay.add(ended);
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
    tell(kind, hint) {
      for (const listener of listeners.get(kind) ?? []) {
        try {
          follow(kind, listener(hint as never));
        } catch (error) {
          warn(kind, error);
        }
      }
    },
    async followed() {
      await Promise.all(underWay);
    },
  };
}
