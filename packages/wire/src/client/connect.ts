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
  /** The broker's address in any form: its base URL, its MCP endpoint or its WebSocket URL. */
  readonly url: string;
  /**
   * The WebSocket class to use. Default: the runtime's own. Node 20 has none, and needs the class from the
   * `ws` package.
   */
  readonly WebSocket?: WebSocketClass;
  /**
   * True to allow unencrypted connections to other machines, although others on the network can read them.
   * Default: false.
   */
  readonly insecure?: boolean;
  /**
   * Timeout in milliseconds from the start of a connection attempt to the broker's hello. Default: 10,000.
   */
  readonly connectTimeoutMs?: number;
  readonly retry?: RetryOptions;
  /** Called on each change of `state`. */
  readonly onState?: (state: ConnectionState) => void;
  /** Random number generator for pauses. Must return numbers from 0 to below 1. Default: `Math.random`. */
  readonly random?: () => number;
}

export interface MerkleClient {
  /**
   * Calls an operation and resolves with its output. If the connection is lost, the call waits and is sent
   * again on the next one. A retry has no further effect, because every change has an idempotency key, which
   * is generated here unless the input contains one. Calls are sent in the order in which they were made. If
   * the broker asks to retry a call later, the call goes to the end of the queue.
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
  /** Delivers all messages in a session's feed after the caller's cursor, across any number of reconnects. */
  follow(options: FollowOptions): Subscription;
  /** Delivers the messages that a team has not acknowledged. Acknowledge them with `call("ack", …)`. */
  inbox(options: InboxOptions): Subscription;
  /**
   * Reports changes to the list of sessions, the items that wait for a human, the memory or the settings,
   * across any number of reconnects. A client can have only one such watch at a time.
   */
  watchMesh(options: WatchMeshOptions): MeshWatch;
  /**
   * Subscribes to pushes other than messages. These are state changes in the mesh and in every subscribed
   * session, and nudges for the peers whose inboxes are open. Returns a function that unsubscribes.
   */
  onPush(listener: (push: Push) => void): () => void;
  /**
   * Reports to the broker which wake paths were used for a nudge. If there is no connection, sends nothing,
   * because the broker has then stopped waiting.
   */
  answerNudge(id: string, reached: readonly WakePath[]): void;
  /**
   * Reconnects immediately if the client is pausing between attempts. If a connection seems open, checks
   * within seconds whether it works. Call this after the machine was asleep or has changed networks.
   */
  retryNow(): void;
  readonly state: ConnectionState;
  /** Subscribes to changes to `state`. Returns a function that unsubscribes. */
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Ends the client and rejects pending calls. Resolves once all sockets are closed and no timer is left. */
  close(): Promise<void>;
}

/**
 * Connects to a broker and stays connected until the client is closed. `state` reports all network problems.
 * The client ends early only if the broker's close code, or its reply to the client's hello, forbids
 * reconnecting.
 *
 * @throws bad_request if the address is invalid, if it belongs to another machine without TLS and `insecure`
 * is not set (TLS-15), or if no WebSocket class is available
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
      onUp: (send, hello) => this.#attach(send, hello.epoch),
      onFrame: (frame) => this.#receive(frame),
      onDown: () => this.#detach(),
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
    const linkClosed = this.#link.stop();
    const error = new MerkleError("unavailable", "The client was closed.", { reason: "client_closed" });
    this.#detach();
    this.#subscriptions.close(error);
    this.#meshWatches.close(error);
    this.#calls.end(error);
    if (this.#state.current.status !== "closed") this.#state.set({ status: "closed", reason: error.message });
    await linkClosed;
  }

  #attach(send: (text: string) => void, epoch: string): void {
    this.#send = send;
    this.#subscriptions.attach(epoch);
    this.#meshWatches.attach();
    this.#requests.attach(send);
  }

  #detach(): void {
    this.#send = undefined;
    this.#requests.detach();
    this.#subscriptions.detach();
    this.#meshWatches.detach();
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
