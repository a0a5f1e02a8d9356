import {
  type Admitted,
  type InputOf,
  MerkleError,
  type Message,
  type OperationName,
  type OutputOf,
  type StateChangeFrame,
} from "@merkle/wire";
import type { ConnectionState, LiveFeed } from "@merkle/wire/client";
import { type Broker, type FollowOptions, isStranger, type MeshChange, type SessionChange } from "./broker";
import type { Connection, ConnectionEvents } from "./connection";
import { Listeners } from "./listeners";

export interface PageBrokerOptions {
  readonly openConnection: (events: ConnectionEvents) => Promise<Connection>;
  /** Returns the credential of the person who uses this page, if any. */
  readonly credential: () => string | undefined;
  /** Called if the broker does not know the person with this credential. */
  readonly onUnknownPerson: (credential: string) => void;
  /** Called when the browser may be signed in as someone else, so cached data may belong to another person. */
  readonly onAnew: () => void;
}

type FeedListeners = Pick<FollowOptions, "onMessages" | "onChanged" | "onResync" | "onError">;

/** A feed that the page follows across reconnects. */
interface FollowedFeed {
  readonly session: string;
  /** The sequence to start after. Null to receive only hints. */
  readonly after: number | null;
  readonly listeners: FeedListeners;
  feed: LiveFeed | undefined;
}

interface WatchedSession {
  readonly listeners: Listeners<SessionChange>;
  stop(): void;
}

/** A call fails after this time, while the connection is still retried. */
const callTimeoutMs = 20_000;

/**
 * Talks to the broker over one connection at a time. Calls made while disconnected or signed out wait for the next
 * connection. Followed feeds continue on the next connection.
 */
export class PageBroker implements Broker {
  readonly #options: PageBrokerOptions;
  readonly #follows = new Set<FollowedFeed>();
  readonly #watched = new Map<string, WatchedSession>();
  readonly #meshListeners = new Listeners<MeshChange>();
  readonly #stateListeners = new Listeners<ConnectionState>();
  readonly #stateChangeListeners = new Listeners<StateChangeFrame>();
  readonly #broughtListeners = new Listeners<readonly Message[]>();
  readonly #connectionListeners = new Listeners<Connection>();
  #connection: Connection | undefined;
  /** Aborts the current connection, or the attempt to open it. */
  #disconnected = new AbortController();
  #wasConnected = false;
  #state: ConnectionState = { status: "connecting" };
  #admitted: Admitted | null = null;

  constructor(options: PageBrokerOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get admitted(): Admitted | null {
    return this.#admitted;
  }

  async call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<OutputOf<Name>> {
    for (;;) {
      const connection = await this.#connected(signal);
      const credential = this.#credentialFor(connection, name, input);
      try {
        const given = credential === undefined ? input : { ...input, team_id: credential };
        return await connection.client.call(name, given, {
          timeoutMs: callTimeoutMs,
          ...(signal && { signal }),
        });
      } catch (error) {
        if (signal?.aborted || !(error instanceof MerkleError)) throw error;
        if (connection === this.#connection && !isStranger(connection.client.state)) {
          if (credential !== undefined && error.code === "unauthorized") {
            this.#options.onUnknownPerson(credential);
          }
          throw error;
        }
        // The connection was closed, or the broker refused the browser's sign-in (not the person's credential). Retry, unless the
        // call may have taken effect.
        if (error.details["outcome"] === "unknown") {
          throw new MerkleError("unavailable", error.message, error.details);
        }
      }
    }
  }

  follow({ sessionId, after, ...listeners }: FollowOptions): () => void {
    return this.#follow(sessionId, after, listeners);
  }

  onMeshChanged(listener: (change: MeshChange) => void): () => void {
    return this.#meshListeners.add(listener);
  }

  onSessionChanged(sessionId: string, listener: (change: SessionChange) => void): () => void {
    const watched = this.#watched.get(sessionId) ?? this.#watch(sessionId);
    const remove = watched.listeners.add(listener);
    return () => {
      remove();
      if (watched.listeners.size > 0 || this.#watched.get(sessionId) !== watched) return;
      this.#watched.delete(sessionId);
      watched.stop();
    };
  }

  onStateChange(listener: (change: StateChangeFrame) => void): () => void {
    return this.#stateChangeListeners.add(listener);
  }

  onMessagesBrought(listener: (messages: readonly Message[]) => void): () => void {
    return this.#broughtListeners.add(listener);
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    return this.#stateListeners.add(listener);
  }

  retryNow(): void {
    this.#connection?.client.retryNow();
  }

  /** Reconnects as the browser's current principal and reads everything again. */
  restart(): void {
    this.connect();
    this.#options.onAnew();
  }

  /** Replaces the connection, and resumes followed feeds and pending calls. */
  connect(): void {
    this.disconnect();
    const { signal } = this.#disconnected;
    const whileCurrent =
      <T>(tell: (value: T) => void) =>
      (value: T): void => {
        if (!signal.aborted) tell(value);
      };
    const events: ConnectionEvents = {
      onState: whileCurrent((state) => this.#become(state)),
      onMeshChanged: whileCurrent((change) => this.#meshListeners.tell(change)),
      onStateChange: whileCurrent((change) => this.#stateChangeListeners.tell(change)),
    };
    void this.#options.openConnection(events).then((connection) => {
      if (signal.aborted) return void connection.client.close();
      signal.addEventListener("abort", () => void connection.client.close());
      this.#use(connection);
    });
  }

  /** Closes the connection. The broker keeps nothing for this page afterwards. */
  disconnect(): void {
    this.#connection = undefined;
    this.#disconnected.abort();
    this.#disconnected = new AbortController();
    for (const { feed } of this.#follows) feed?.close();
  }

  /** Call this when a different person starts to use the page. */
  personChanged(): void {
    this.#connection?.setCredential(this.#options.credential());
  }

  #use(connection: Connection): void {
    const isReturn = this.#wasConnected;
    this.#wasConnected = true;
    this.#connection = connection;
    this.#become(connection.client.state);
    this.personChanged();
    for (const followed of this.#follows) this.#begin(followed);
    this.#connectionListeners.tell(connection);
    // Nothing was read before the first connection, so nothing can have changed.
    if (!isReturn) return;
    this.#meshListeners.tell({ kind: "all", sessionId: null });
    for (const { listeners } of this.#watched.values()) listeners.tell({ kind: "all" });
  }

  #become(state: ConnectionState): void {
    this.#state = state;
    if (state.status === "open") this.#admitted = state.admitted ?? null;
    this.#stateListeners.tell(state);
  }

  /** Resolves with the connection, once there is one and the browser is signed in. */
  #connected(signal: AbortSignal | undefined): Promise<Connection> {
    const current = this.#connection;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (current && !isStranger(current.client.state)) return resolve(current);
      const abort = () => {
        stop();
        reject(signal?.reason);
      };
      const stop = this.#connectionListeners.add((connection) => {
        stop();
        signal?.removeEventListener("abort", abort);
        resolve(connection);
      });
      signal?.addEventListener("abort", abort);
    });
  }

  #watch(sessionId: string): WatchedSession {
    const listeners = new Listeners<SessionChange>();
    const stop = this.#follow(sessionId, null, {
      onMessages: () => undefined,
      onChanged: (change) => listeners.tell(change),
    });
    const watched: WatchedSession = { listeners, stop };
    this.#watched.set(sessionId, watched);
    return watched;
  }

  #follow(session: string, after: number | null, listeners: FeedListeners): () => void {
    const followed: FollowedFeed = { session, after, listeners, feed: undefined };
    this.#follows.add(followed);
    this.#begin(followed);
    return () => {
      this.#follows.delete(followed);
      followed.feed?.close();
    };
  }

  /** Starts to follow a feed, or continues where the previous connection ended. */
  #begin(followed: FollowedFeed): void {
    const { session, after, listeners, feed } = followed;
    const connection = this.#connection;
    if (!connection) return;
    followed.feed = connection.feeds.follow({
      session,
      teamId: this.#options.credential(),
      after: feed ? feed.cursor : after,
      epoch: feed?.epoch,
      onMessages: (messages) => {
        this.#broughtListeners.tell(messages);
        listeners.onMessages(messages);
      },
      onChanged: (change) => listeners.onChanged?.(change),
      onResync: () => {
        this.#follows.delete(followed);
        listeners.onResync?.();
        return undefined;
      },
      onError: (error) => {
        // The feed is followed once the browser is signed in.
        if (isStranger(connection.client.state)) return;
        this.#follows.delete(followed);
        listeners.onError?.(error);
      },
    });
  }

  #credentialFor({ takesCredential }: Connection, name: OperationName, input: object): string | undefined {
    const isGiven = "team_id" in input && input.team_id !== undefined;
    return isGiven || !takesCredential(name) ? undefined : this.#options.credential();
  }
}
