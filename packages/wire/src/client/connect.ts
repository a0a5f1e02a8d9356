import type { InputOf, OutputOf } from "../catalogue.js";
import { isClearText } from "../core/clear-text.js";
import { MerkleError } from "../core/errors.js";
import type { WakePath } from "../operations/peers.js";
import type { OperationName } from "../rules.js";
import type { ClientFrame } from "../transports/frames.js";
import type { RetryOptions } from "./backoff.js";
import { type CallOptions, Calls } from "./calls.js";
import type { FrameAfterHello } from "./connection.js";
import { type ConnectionState, ObservedState } from "./connection-state.js";
import type { Introduction } from "./introduction.js";
import { Link, type LinkOptions } from "./link.js";
import { type MeshWatch, MeshWatches, type WatchMeshOptions } from "./mesh-watch.js";
import { type Push, Pushes } from "./pushes.js";
import { Requests } from "./requests.js";
import type { FollowOptions, InboxOptions, Subscription } from "./subscription.js";
import { Subscriptions } from "./subscriptions.js";
import type { WebSocketClass } from "./web-socket.js";
import { toWebSocketUrl } from "./web-socket-url.js";

export type { CallOptions } from "./calls.js";

export interface ClientOptions extends Introduction {
  /** The broker's address in any form: base URL, MCP endpoint or WebSocket URL. */
  readonly url: string;
  /**
   * WebSocket implementation. Default: the runtime's own. Node 20 has none and needs the class of the `ws`
   * package.
   */
  readonly WebSocket?: WebSocketClass;
  /**
   * True to allow unencrypted connections to other machines, which others on the network can read. Default:
   * false.
   */
  readonly insecure?: boolean;
  /** Timeout of a connection attempt until the broker's hello, in milliseconds. Default: 10,000. */
  readonly connectTimeoutMs?: number;
  readonly retry?: RetryOptions;
  /** Called on each change of `state`. */
  readonly onState?: (state: ConnectionState) => void;
  /** Random number generator for pauses, from 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number;
}

export interface MerkleClient {
  /**
   * Calls an operation and resolves with its output. If the connection is lost, the call waits and is sent
   * again. A retry has no further effect: every change carries an idempotency key, generated here unless the
   * input has one. Calls are sent in the order in which they were made. A call that the broker asks to retry
   * later goes behind the others.
   *
   * @throws MerkleError with the broker's refusal, or `unavailable` after the timeout or when the client
   * ends. If its details contain `outcome: "unknown"`, the change may have been made. `too_many_requests` if
   * 10,000 calls are already waiting in the client. The signal's reason if the signal is aborted.
   */
  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options?: CallOptions,
  ): Promise<OutputOf<Name>>;
  /** Delivers a session's complete feed after the caller's cursor, across any number of reconnects. */
  follow(options: FollowOptions): Subscription;
  /** Delivers a team's unacknowledged messages. Acknowledge them with `call("ack", …)`. */
  inbox(options: InboxOptions): Subscription;
  /**
   * Reports when the list of sessions, the items that wait for a human, memory or settings have changed,
   * across any number of reconnects. A client can have one such watch at a time.
   */
  watchMesh(options: WatchMeshOptions): MeshWatch;
  /**
   * Subscribes to pushes other than messages. These are state changes of the mesh and of every subscribed
   * session, and nudges for the peers whose inboxes are open. Returns the unsubscribe function.
   */
  onPush(listener: (push: Push) => void): () => void;
  /**
   * Reports to the broker which wake paths were used for a nudge. Sends nothing if there is no connection,
   * because the broker no longer waits.
   */
  answerNudge(id: string, reached: readonly WakePath[]): void;
  /**
   * Reconnects immediately if the client is pausing between attempts. If the connection seems open, checks
   * within seconds that it works. For a machine that was asleep or has changed networks.
   */
  retryNow(): void;
  readonly state: ConnectionState;
  /** Subscribes to changes of `state`. Returns the unsubscribe function. */
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Ends the client and rejects pending calls. Resolves once no socket or timer is left. */
  close(): Promise<void>;
}

/**
 * Connects to a broker and stays connected until the client is closed. `state` shows all network problems.
 * The client ends early only if the broker's close code, or its reply to the client's hello, forbids
 * reconnecting.
 *
 * @throws bad_request if the address is invalid, if it is on another machine without TLS and `insecure` is
 * not set (TLS-15), or if no WebSocket is available
 */
export function connect(options: ClientOptions): MerkleClient {
  return new Client(toLinkOptions(options), options.onState);
}

class Client implements MerkleClient {
  readonly #requests = new Requests();
  readonly #calls = new Calls(this.#requests);
  readonly #subscriptions = new Subscriptions(this.#requests);
  readonly #meshWatches = new MeshWatches(this.#requests);
  readonly #pushes = new Pushes();
  readonly #state = new ObservedState();
  readonly #link: Link;
  #send: ((text: string) => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: LinkOptions, onState: ClientOptions["onState"]) {
    if (onState) this.#state.listen(onState);
    this.#link = new Link(options, {
      onUp: (send, hello) => this.#up(send, hello.epoch),
      onFrame: (frame) => this.#receive(frame),
      onDown: () => this.#down(),
      onFailed: (error) => this.#fail(error),
      onState: (state) => this.#state.set(state),
    });
    this.#link.start();
  }

  get state(): ConnectionState {
    return this.#state.current;
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    return this.#state.listen(listener);
  }

  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): Promise<OutputOf<Name>> {
    return this.#calls.make(name, input, options);
  }

  follow(options: FollowOptions): Subscription {
    return this.#subscriptions.follow(options);
  }

  inbox(options: InboxOptions): Subscription {
    return this.#subscriptions.inbox(options);
  }

  watchMesh(options: WatchMeshOptions): MeshWatch {
    return this.#meshWatches.watch(options);
  }

  onPush(listener: (push: Push) => void): () => void {
    return this.#pushes.listen(listener);
  }

  answerNudge(id: string, reached: readonly WakePath[]): void {
    this.#send?.(JSON.stringify({ type: "nudged", id, reached: [...reached] } satisfies ClientFrame));
  }

  retryNow(): void {
    this.#link.retryNow();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const gone = this.#link.stop();
    const error = new MerkleError("unavailable", "The client was closed.", { reason: "client_closed" });
    this.#down();
    this.#subscriptions.close(error);
    this.#meshWatches.close(error);
    this.#calls.end(error);
    if (this.#state.current.status !== "closed") this.#state.set({ status: "closed", reason: error.message });
    await gone;
  }

  #up(send: (text: string) => void, epoch: string): void {
    this.#send = send;
    this.#subscriptions.up(epoch);
    this.#meshWatches.up();
    this.#requests.up(send);
  }

  #down(): void {
    this.#send = undefined;
    this.#requests.down();
    this.#subscriptions.down();
    this.#meshWatches.down();
  }

  #receive(frame: FrameAfterHello): void {
    switch (frame.type) {
      case "reply":
        return this.#requests.receive(frame);
      case "message":
      case "changed":
        return this.#subscriptions.receive(frame);
      case "mesh_changed":
        return this.#meshWatches.receive(frame);
      case "state_change":
      case "nudge":
        return this.#pushes.receive(frame);
    }
  }

  #fail(error: MerkleError): void {
    this.#state.set({ status: "closed", reason: error.message, code: error.code });
    this.#subscriptions.fail(error);
    this.#meshWatches.fail(error);
    this.#calls.end(error);
  }
}

function toLinkOptions(options: ClientOptions): LinkOptions {
  const WebSocket = options.WebSocket ?? globalThis.WebSocket;
  if (!WebSocket) {
    throw new MerkleError(
      "bad_request",
      "This runtime has no WebSocket: pass a class, such as that of `ws`.",
    );
  }
  const url = toWebSocketUrl(options.url);
  if (isClearText(url) && !options.insecure) throw clearText(url);
  return {
    url,
    WebSocket,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    retry: options.retry ?? {},
    random: options.random ?? Math.random,
    introduction: { mesh: options.mesh, answerHello: options.answerHello },
  };
}

function clearText(url: string): MerkleError {
  return new MerkleError(
    "bad_request",
    `${new URL(url).origin} is another machine, and ws:// is unencrypted: anyone on the network could read messages and steal credentials. Use https:// or wss://, or set insecure.`,
  );
}
