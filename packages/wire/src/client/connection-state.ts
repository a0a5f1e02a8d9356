import type { ErrorCode, MerkleError } from "../core/errors.js";
import type { Admitted } from "../identity/hello-proof.js";
import { callListener } from "./call-listener.js";

/**
 * State of the connection to the broker. Each change creates a new object, so states can be compared by
 * identity.
 */
export type ConnectionState =
  | { readonly status: "connecting" }
  | {
      readonly status: "open";
      readonly epoch: string;
      readonly version: string;
      /** 0 for a broker older than build numbers. */
      readonly build: number;
      /** The mesh and identity that the broker admitted, if the client introduced itself. */
      readonly admitted?: Admitted;
    }
  | {
      readonly status: "reconnecting";
      /** Attempts since the last good connection, counted from 1. */
      readonly attempt: number;
      /** Time of the attempt as in `Date.now()`. In the past if the attempt is in progress. */
      readonly retryAt: number;
      readonly reason: string;
      /** The broker's refusal of the last attempt, if the cause may be temporary, such as a wrong clock. */
      readonly refusal?: MerkleError;
    }
  | {
      readonly status: "closed";
      readonly reason: string;
      /** The reason why the broker forbade reconnecting. Undefined if the client itself ended. */
      readonly code?: ErrorCode;
    };

/** The current state, which notifies its listeners on each change. */
export class ObservedState {
  #current: ConnectionState = { status: "connecting" };
  readonly #listeners = new Set<{ tell: (state: ConnectionState) => void }>();

  get current(): ConnectionState {
    return this.#current;
  }

  set(state: ConnectionState): void {
    this.#current = state;
    for (const listener of [...this.#listeners]) callListener(() => listener.tell(state));
  }

  /** Subscribes to later changes. Returns the unsubscribe function. */
  listen(tell: (state: ConnectionState) => void): () => void {
    const listener = { tell };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
