import type { ErrorCode, MerkleError } from "../core/errors.js";
import type { HelloResult } from "../identity/hello-proof.js";
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
      /** The broker's build number. 0 for a broker older than build numbers. */
      readonly build: number;
      /**
       * The mesh that the broker admitted the client to, and the client's identity. Missing if the client did
       * not introduce itself.
       */
      readonly admitted?: HelloResult;
    }
  | {
      readonly status: "reconnecting";
      /** Number of attempts since the last good connection, starting at 1. */
      readonly attempt: number;
      /** When the next attempt starts, as in `Date.now()`. In the past if the attempt is in progress. */
      readonly retryAt: number;
      readonly reason: string;
      /**
       * The error with which the broker refused the last attempt, if the cause may be temporary, such as a
       * wrong clock.
       */
      readonly refusal?: MerkleError;
    }
  | {
      readonly status: "closed";
      readonly reason: string;
      /** The error code with which the broker forbade reconnecting. Undefined if the client itself ended. */
      readonly code?: ErrorCode;
    };

/** The client's current state. Notifies its listeners of each change. */
export class ObservedState {
  #current: ConnectionState = { status: "connecting" };
  readonly #listeners = new Set<{ notify: (state: ConnectionState) => void }>();

  get current(): ConnectionState {
    return this.#current;
  }

  set(state: ConnectionState): void {
    this.#current = state;
    for (const listener of [...this.#listeners]) callListener(() => listener.notify(state));
  }

  /** Subscribes to later changes. Returns a function that unsubscribes. */
  listen(notify: (state: ConnectionState) => void): () => void {
    const listener = { notify };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
