import type { Log } from "../log.js";
import type { HintKind, Hints } from "./hints.js";

/** Carries hints between the nodes on one database (NODE-1). What it loses costs time, never a message. */
export interface Bus {
  /** `local` is the bus of a node that is alone: whoever would work for a hint need not begin. */
  readonly kind: "local" | "postgres" | "nats";
  /** Whether hints go out and come in at this moment, as far as is known. */
  readonly isUp: boolean;
  /** Tells the other nodes, soon and together with what else there is. Never waits, never fails. */
  publish<Kind extends HintKind>(kind: Kind, hint: Hints[Kind]): void;
  /** Calls a listener at each hint of a kind from another node; returns how to stop. */
  on<Kind extends HintKind>(kind: Kind, listener: (hint: Hints[Kind]) => void): () => void;
  /** Sends what waits, and closes the connection. */
  stop(): Promise<void>;
}

/** The bus of a node that is alone on its database, which has nobody to tell. */
export function startLocalBus(): Bus {
  return {
    kind: "local",
    isUp: true,
    publish: () => undefined,
    on: () => () => undefined,
    stop: async () => undefined,
  };
}

/** Who is told of which hints. */
export interface HintListeners {
  on: Bus["on"];
  tell<Kind extends HintKind>(kind: Kind, hint: Hints[Kind]): void;
}

/** A listener that fails keeps no other from being told. */
export function createHintListeners(log: Log): HintListeners {
  const listeners = new Map<string, Set<(hint: never) => void>>();
  return {
    on(kind, listener) {
      const ofKind = listeners.get(kind) ?? new Set();
      listeners.set(kind, ofKind.add(listener));
      return () => ofKind.delete(listener);
    },
    tell(kind, hint) {
      for (const listener of listeners.get(kind) ?? []) {
        try {
          listener(hint as never);
        } catch (error) {
          log.warn("a hint of another node could not be followed; the next sweep does", { kind, error });
        }
      }
    },
  };
}
