import {
  type HelloResult,
  type InputOf,
  MerkleError,
  type Message,
  type OperationName,
  type OutputOf,
  type StateChangeFrame,
} from "@merkle/wire";
import type { ConnectionState, FeedOptions, LiveFeed } from "@merkle/wire/client";
import {
  type Broker,
  type FeedFollowOptions,
  isUnauthenticated,
  type MeshChangeHint,
  type SessionChange,
} from "./broker";
import type { PageConnection, PageConnectionEvents } from "./connection";
import { Listeners } from "./listeners";

export interface PageBrokerOptions {
  readonly openConnection: (events: PageConnectionEvents) => Promise<PageConnection>;
  /** Returns the credential of the person who uses this page, if any. */
  readonly getCredential: () => string | undefined;
  /** Called if the broker does not know the person with this credential. */
  readonly onUnknownPerson: (credential: string) => void;
  /** Called when the browser may be signed in as someone else, so cached data may belong to another person. */
  readonly onRestart: () => void;
}

type FeedListeners = Pick<FeedFollowOptions, "onMessages" | "onChanged" | "onResync" | "onError">;

/** A feed that the page follows across reconnects. */
interface FollowedFeed {
  readonly session: string;
  readonly listeners: FeedListeners;
  /** The feed on the last connection or, before the first one, its start. The next connection continues at its cursor. */
  feed: LiveFeed;
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
  readonly #followedFeeds = new Set<FollowedFeed>();
  readonly #watchedSessions = new Map<string, WatchedSession>();
  readonly #meshListeners = new Listeners<MeshChangeHint>();
  readonly #stateListeners = new Listeners<ConnectionState>();
  readonly #stateChangeListeners = new Listeners<StateChangeFrame>();
  readonly #deliveryListeners = new Listeners<readonly Message[]>();
  readonly #connectionListeners = new Listeners<PageConnection>();
  #connection: PageConnection | undefined;
  /** Aborts the current connection, or the attempt to open it. */
  #disconnected = new AbortController();
  #wasConnected = false;
  #state: ConnectionState = { status: "connecting" };
  #admitted: HelloResult | null = null;

  constructor(options: PageBrokerOptions) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get admitted(): HelloResult | null {
    return this.#admitted;
  }

  async call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<OutputOf<Name>> {
    for (;;) {
      const connection = await this.#awaitConnection(signal);
      const credential = this.#findCredential(connection, name, input);
      try {
        const fullInput = credential === undefined ? input : { ...input, team_id: credential };
        return await connection.client.call(name, fullInput, {
          timeoutMs: callTimeoutMs,
          ...(signal && { signal }),
        });
      } catch (error) {
        if (signal?.aborted || !(error instanceof MerkleError)) throw error;
        if (connection === this.#connection && !isUnauthenticated(connection.client.state)) {
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

  async takesCredential(name: OperationName): Promise<boolean> {
    return (await this.#awaitConnection()).takesCredential(name);
  }

  follow({ sessionId, after, epoch, ...listeners }: FeedFollowOptions): () => void {
    return this.#follow(sessionId, { after, epoch }, listeners);
  }

  onMeshChanged(listener: (change: MeshChangeHint) => void): () => void {
    return this.#meshListeners.add(listener);
  }

  onSessionChanged(sessionId: string, listener: (change: SessionChange) => void): () => void {
    const session = this.#watchedSessions.get(sessionId) ?? this.#watch(sessionId);
    const remove = session.listeners.add(listener);
    return () => {
      remove();
      if (session.listeners.size > 0 || this.#watchedSessions.get(sessionId) !== session) return;
      this.#watchedSessions.delete(sessionId);
      session.stop();
    };
  }

  onStateChange(listener: (change: StateChangeFrame) => void): () => void {
    return this.#stateChangeListeners.add(listener);
  }

  onMessagesDelivered(listener: (messages: readonly Message[]) => void): () => void {
    return this.#deliveryListeners.add(listener);
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
    this.#options.onRestart();
  }

  /** Replaces the connection, and resumes followed feeds and pending calls. */
  connect(): void {
    this.disconnect();
    const { signal } = this.#disconnected;
    const ignoreAfterAbort =
      <T>(handler: (value: T) => void) =>
      (value: T): void => {
        if (!signal.aborted) handler(value);
      };
    const events: PageConnectionEvents = {
      onState: ignoreAfterAbort((state) => this.#setState(state)),
      onMeshChanged: ignoreAfterAbort((change) => this.#meshListeners.notify(change)),
      onStateChange: ignoreAfterAbort((change) => this.#stateChangeListeners.notify(change)),
    };
    void this.#options.openConnection(events).then((connection) => {
      if (signal.aborted) return void connection.client.close();
      signal.addEventListener("abort", () => void connection.client.close());
      this.#adoptConnection(connection);
    });
  }

  /** Closes the connection. The broker keeps nothing for this page afterwards. */
  disconnect(): void {
    this.#connection = undefined;
    this.#disconnected.abort();
    this.#disconnected = new AbortController();
    for (const { feed } of this.#followedFeeds) feed.close();
  }

  /** Call this when a different person starts to use the page. */
  refreshCredential(): void {
    this.#connection?.setCredential(this.#options.getCredential());
  }

  #adoptConnection(connection: PageConnection): void {
    const isReturn = this.#wasConnected;
    this.#wasConnected = true;
    this.#connection = connection;
    this.#setState(connection.client.state);
    this.refreshCredential();
    for (const followedFeed of this.#followedFeeds) this.#startFeed(followedFeed);
    this.#connectionListeners.notify(connection);
    // Nothing was read before the first connection, so nothing can have changed.
    if (!isReturn) return;
    this.#meshListeners.notify({ kind: "all", sessionId: null });
    for (const { listeners } of this.#watchedSessions.values()) listeners.notify({ kind: "all" });
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    if (state.status === "open") this.#admitted = state.admitted ?? null;
    this.#stateListeners.notify(state);
  }

  /** Resolves with the connection, once there is one and the browser is signed in. */
  #awaitConnection(signal?: AbortSignal): Promise<PageConnection> {
    const current = this.#connection;
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (current && !isUnauthenticated(current.client.state)) return resolve(current);
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
    const stop = this.#follow(
      sessionId,
      { after: null, epoch: undefined },
      {
        onMessages: () => undefined,
        onChanged: (change) => listeners.notify(change),
      },
    );
    const session: WatchedSession = { listeners, stop };
    this.#watchedSessions.set(sessionId, session);
    return session;
  }

  /** Follows a feed after a sequence of an epoch, or for hints only if the sequence is null. */
  #follow(
    session: string,
    { after, epoch }: Pick<FeedOptions, "after" | "epoch">,
    listeners: FeedListeners,
  ): () => void {
    const start: LiveFeed = { cursor: after, epoch, close: () => undefined };
    const followedFeed: FollowedFeed = { session, listeners, feed: start };
    this.#followedFeeds.add(followedFeed);
    this.#startFeed(followedFeed);
    return () => {
      this.#followedFeeds.delete(followedFeed);
      followedFeed.feed.close();
    };
  }

  /** Starts to follow a feed, or continues where the previous connection ended. */
  #startFeed(followedFeed: FollowedFeed): void {
    const { session, listeners, feed } = followedFeed;
    const connection = this.#connection;
    if (!connection) return;
    followedFeed.feed = connection.feeds.follow({
      session,
      teamId: this.#options.getCredential(),
      after: feed.cursor,
      epoch: feed.epoch,
      onMessages: (messages) => {
        this.#deliveryListeners.notify(messages);
        listeners.onMessages(messages);
      },
      onChanged: (change) => listeners.onChanged?.(change),
      onResync: () => {
        this.#followedFeeds.delete(followedFeed);
        listeners.onResync?.();
        return undefined;
      },
      onError: (error) => {
        // The feed is followed once the browser is signed in.
        if (isUnauthenticated(connection.client.state)) return;
        this.#followedFeeds.delete(followedFeed);
        listeners.onError?.(error);
      },
    });
  }

  #findCredential(
    { takesCredential }: PageConnection,
    name: OperationName,
    input: object,
  ): string | undefined {
    const hasTeamId = "team_id" in input && input.team_id !== undefined;
    return hasTeamId || !takesCredential(name) ? undefined : this.#options.getCredential();
  }
}
