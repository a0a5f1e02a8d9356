import type {
  Admitted,
  ChangedKind,
  InputOf,
  MeshChangedKind,
  Message,
  OperationName,
  OutputOf,
  StateChangeFrame,
} from "@merkle/wire";
import type { ConnectionState, FeedChange } from "@merkle/wire/client";

/** The broker that served this page, as panels see it. */
export interface Broker {
  /**
   * Asks for an operation. The person's credential goes along where the operation takes one and none was given. A short
   * loss of the connection is waited out.
   *
   * @throws MerkleError the broker's refusal; `unavailable` when it did not answer in time
   */
  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<OutputOf<Name>>;
  /** Brings a session's messages after a sequence: in order, each once, through reconnects. Returns how to stop. */
  follow(options: FollowOptions): () => void;
  /** Hints that reads of the mesh would now differ; `all` after every reconnect, when anything may have changed. */
  onMeshChanged(listener: (change: MeshChange) => void): () => void;
  /** The same for one session, by its id or slug. */
  onSessionChanged(sessionId: string, listener: (change: SessionChange) => void): () => void;
  /** New values of state, of every session that this page follows or watches, and of the mesh. */
  onStateChange(listener: (change: StateChangeFrame) => void): () => void;
  /** All messages that come in by follows, whichever feed they belong to. */
  onMessagesBrought(listener: (messages: readonly Message[]) => void): () => void;
  readonly state: ConnectionState;
  /** The principal of this browser, as of the last connection; null where everybody is let in, and before the first. */
  readonly admitted: Admitted | null;
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Ends a pause between two attempts to connect, and checks that an open connection still works. */
  retryNow(): void;
}

export interface FollowOptions {
  /** The session's id or slug. */
  readonly sessionId: string;
  /** The sequence after which messages are brought. */
  readonly after: number;
  /** Called with one or more messages that follow each other without a gap. */
  readonly onMessages: (messages: readonly Message[]) => void;
  readonly onChanged?: (change: SessionChange) => void;
  /** The broker's database was restored, so sequences mean nothing any more. It has ended: read again, then follow anew. */
  readonly onResync?: () => void;
  /** It has ended for good. */
  readonly onError?: (error: unknown) => void;
}

export interface MeshChange {
  readonly kind: MeshChangedKind | "all";
  readonly sessionId: string | null;
}

export type SessionChange = FeedChange;

/** The changes after which a read may differ, in the mesh or in the session of the read. */
export type ChangeKind = MeshChangedKind | ChangedKind;

/** Whether the broker admits only members, and this browser is not signed in, or no longer. */
export function isStranger(state: ConnectionState): boolean {
  return state.status === "closed" && state.code === "unauthorized";
}
