import type {
  ChangedKind,
  HelloResult,
  InputOf,
  MeshChangedKind,
  Message,
  OperationName,
  OutputOf,
  StateChangeFrame,
} from "@merkle/wire";
import type { ConnectionState, FeedChange } from "@merkle/wire/client";

/** The API that components use to talk to the broker that served this page. */
export interface Broker {
  /**
   * Calls an operation. Adds the person's credential if the operation accepts one and the input has none. Waits if the
   * connection is lost briefly.
   *
   * @throws MerkleError if the broker refuses the call, or `unavailable` if the broker does not answer in time
   */
  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<OutputOf<Name>>;
  /** Returns whether an operation accepts a person's credential. Waits for the first connection. */
  takesCredential(name: OperationName): Promise<boolean>;
  /**
   * Delivers a session's messages after a sequence, in order and without duplicates, across reconnects. Returns a
   * function that stops the delivery.
   */
  follow(options: FeedFollowOptions): () => void;
  /** Calls the listener when data read from the mesh may have changed. After each reconnect the change is `all`. */
  onMeshChanged(listener: (change: MeshChangeHint) => void): () => void;
  /** Calls the listener when data read from one session may have changed. `sessionId` is the session's id or slug. */
  onSessionChanged(sessionId: string, listener: (change: SessionChange) => void): () => void;
  /** Calls the listener with each new state value, of the mesh and of every session that this page follows or watches. */
  onStateChange(listener: (change: StateChangeFrame) => void): () => void;
  /** Calls the listener with all messages delivered by `follow`, whichever session they belong to. */
  onMessagesDelivered(listener: (messages: readonly Message[]) => void): () => void;
  readonly state: ConnectionState;
  /** The principal of this browser as of the last connection. Null on an open broker, and before the first connection. */
  readonly admitted: HelloResult | null;
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Ends the pause before the next connection attempt, and checks that an open connection still works. */
  retryNow(): void;
}

export interface FeedFollowOptions {
  /** The session's id or slug. */
  readonly sessionId: string;
  /** Messages after this sequence are delivered. */
  readonly after: number;
  /** The epoch that `after` belongs to. Default: the broker's current epoch. */
  readonly epoch?: string | undefined;
  /** Called with one or more consecutive messages. */
  readonly onMessages: (messages: readonly Message[]) => void;
  readonly onChanged?: (change: SessionChange) => void;
  /**
   * Called after the broker's database was restored, which makes all sequences invalid. The follow has ended: read the feed
   * again, then follow it from there.
   */
  readonly onResync?: () => void;
  /** Called if following the session has failed permanently. */
  readonly onError?: (error: unknown) => void;
}

export interface MeshChangeHint {
  readonly kind: MeshChangedKind | "all";
  readonly sessionId: string | null;
}

export type SessionChange = FeedChange;

/** Kinds of change in the mesh or a session that can make read data stale. */
export type ChangeKind = MeshChangedKind | ChangedKind;

/** True if the broker admits only members and this browser is not signed in. */
export function isUnauthenticated(state: ConnectionState): boolean {
  return state.status === "closed" && state.code === "unauthorized";
}
