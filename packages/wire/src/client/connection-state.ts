import type { ErrorCode, MerkleError } from "../core/errors.js";
import type { Admitted } from "../identity/hello-proof.js";
import { callListener } from "./call-listener.js";

/** How it stands with the broker. Each change is a new object, so that two states can be compared by identity. */
export type ConnectionState =
  | { readonly status: "connecting" }
  | {
      readonly status: "open";
      readonly epoch: string;
      readonly version: string;
      /** 0 for a broker from before builds had numbers. */
      readonly build: number;
      /** Where the connection is and as whom, when the client introduced itself. */
      readonly admitted?: Admitted;
    }
  | {
      readonly status: "reconnecting";
      /** 1 for the first attempt since the connection was last good. */
      readonly attempt: number;
      /** When the attempt is made, or was made if it still lasts; milliseconds as of `Date.now()`. */
      readonly retryAt: number;
      readonly reason: string;
      /** The broker's refusal of the last attempt, where it was for something that may pass, such as a wrong clock. */
      readonly refusal?: MerkleError;
    }
  | {
      readonly status: "closed";
      readonly reason: string;
      /** Why the broker forbade to come back; left out when the client itself ended. */
      readonly code?: ErrorCode;
    };

/** Holds the state and tells those who listen when it changes. */
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

  /** Listens to later changes; returns how to stop. */
  listen(tell: (state: ConnectionState) => void): () => void {
    const listener = { tell };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}
