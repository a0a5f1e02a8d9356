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
  /** The broker's address in any of its forms: base, MCP endpoint or WebSocket. */
  readonly url: string;
  /** The runtime's own unless given; Node 20 has none and takes that of the `ws` package. */
  readonly WebSocket?: WebSocketClass;
  /** Lets it speak to another machine without TLS, where others can listen. Default false. */
  readonly insecure?: boolean;
  /** How long an attempt to connect may take, until the broker's hello, in milliseconds. Default 10,000. */
  readonly connectTimeoutMs?: number;
  readonly retry?: RetryOptions;
  /** Told of each change of `state`. */
  readonly onState?: (state: ConnectionState) => void;
  /** The source of randomness for pauses, from 0 to below 1. Default `Math.random`. */
  readonly random?: () => number;
}

export interface MerkleClient {
  /**
   * Asks for an operation and resolves with its output. A lost connection is waited out and the call made again, which
   * duplicates nothing: what changes something carries an idempotency key, made here unless the input has one. Calls
   * go out in the order in which they were made; one that the broker asks to come back later is made again behind.
   *
   * @throws MerkleError with the broker's refusal, `unavailable` after the timeout or when the client ends; with
   * `outcome: "unknown"` in its details the change may have been made. `too_many_requests` when 10,000 calls wait in the
   * client already. The signal's reason when that is aborted.
   */
  call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options?: CallOptions,
  ): Promise<OutputOf<Name>>;
  /** Brings a session's whole feed after a cursor of the caller's own, through any number of reconnects. */
  follow(options: FollowOptions): Subscription;
  /** Brings what is addressed to a team and not yet acknowledged; `call("ack", …)` acknowledges. */
  inbox(options: InboxOptions): Subscription;
  /**
   * Is told when the list of sessions, what waits for a human, memory or settings would read differently, through any
   * number of reconnects. A client has one such watch at a time.
   */
  watchMesh(options: WatchMeshOptions): MeshWatch;
  /**
   * Listens to what the broker pushes beside messages: changes of state, of every session that it has a subscription to
   * and of their mesh, and nudges for the peers whose inboxes it has. Returns how to stop.
   */
  onPush(listener: (push: Push) => void): () => void;
  /** Tells the broker which wake paths a nudge was answered with. Without a connection nothing is sent: nobody waits for it. */
  answerNudge(id: string, reached: readonly WakePath[]): void;
  /**
   * Connects at once where a pause between attempts is running, and finds out within seconds whether a connection that
   * seems to stand still does: for a machine that slept, or has another network now.
   */
  retryNow(): void;
  readonly state: ConnectionState;
  /** Listens to changes of `state`; returns how to stop. */
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Ends the client: pending calls reject, and it resolves when neither socket nor timer is left. */
  close(): Promise<void>;
}

/**
 * Starts to connect to a broker, and keeps connected until it is closed. Whatever the network does shows in `state`; only
 * a broker whose close code, or whose answer to the client's hello, forbids coming back ends the client.
 *
 * @throws bad_request when the address is none, or leads to another machine without TLS and `insecure` is not set (TLS-15);
 * or when there is no WebSocket to use
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
