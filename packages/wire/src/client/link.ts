import { parseBuild } from "../core/build.js";
import type { MerkleError } from "../core/errors.js";
import type { HelloResult } from "../identity/hello-proof.js";
import { computeBackoffMs, type RetryOptions } from "./backoff.js";
import { type Connection, type FrameAfterHello, openConnection } from "./connection.js";
import type { ConnectionState } from "./connection-state.js";
import type { ConnectionEnd, Hello, Introduction } from "./introduction.js";
import type { WebSocketClass } from "./web-socket.js";

/** If a connection was open for this long, it counts as good even without any request. */
const stableAfterMs = 10_000;

export interface LinkOptions {
  readonly url: string;
  readonly WebSocket: WebSocketClass;
  readonly connectTimeoutMs: number;
  readonly retry: RetryOptions;
  readonly random: () => number;
  readonly introduction: Introduction;
}

export interface LinkEvents {
  onUp(send: (text: string) => void, hello: Hello): void;
  onFrame(frame: FrameAfterHello): void;
  onDown(): void;
  /** Called after all other events, if the broker has forbidden reconnecting. */
  onFailed(error: MerkleError): void;
  onState(state: ConnectionState): void;
}

/**
 * Maintains one connection at a time. When a connection ends, opens the next one after a pause that grows
 * with each failure. Once a connection is good, the pause is reset. A connection is good if it has delivered
 * a reply or was open for 10 s.
 */
export class Link {
  readonly #options: LinkOptions;
  readonly #events: LinkEvents;
  #connection: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #openSince: number | undefined;
  #isStopped = false;

  constructor(options: LinkOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
  }

  start(): void {
    this.#openSince = undefined;
    this.#timer = undefined;
    try {
      this.#connection = openConnection(this.#options, {
        onOpen: (hello, admitted) => this.#handleOpen(hello, admitted),
        onFrame: (frame) => this.#receive(frame),
        onEnd: (end) => this.#handleEnd(end),
      });
    } catch (cause) {
      this.#handleEnd({ canReconnect: true, reason: String(cause) }); // A browser rejects some addresses immediately.
    }
  }

  /**
   * Ends a pause between attempts. If a connection seems open, probes it, and replaces it if it does not
   * respond.
   */
  retryNow(): void {
    if (this.#isStopped) return;
    if (this.#connection) this.#connection.probe();
    else if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.start();
    }
  }

  /**
   * Stops connecting. Resolves once all sockets are closed and no timer is left. No event is reported after
   * this call.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#connection?.close();
  }

  #handleOpen(hello: Hello, admitted: HelloResult | null): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#openSince = performance.now();
    this.#events.onUp((text) => connection.send(text), hello);
    if (this.#isStopped) return;
    this.#events.onState({
      status: "open",
      epoch: hello.epoch,
      version: hello.version,
      build: parseBuild(hello.build),
      ...(admitted && { admitted }),
    });
  }

  #receive(frame: FrameAfterHello): void {
    if (frame.type === "reply") this.#attempt = 0;
    this.#events.onFrame(frame);
  }

  #handleEnd(end: ConnectionEnd): void {
    this.#connection = undefined;
    if (this.#openSince !== undefined) this.#events.onDown();
    if (this.#isStopped) return;
    if (end.canReconnect) this.#scheduleReconnect(end);
    else this.#events.onFailed(end.error);
  }

  #scheduleReconnect({ reason, refusal }: ConnectionEnd & { readonly canReconnect: true }): void {
    if (this.#openSince !== undefined && performance.now() - this.#openSince >= stableAfterMs)
      this.#attempt = 0;
    const pauseMs = computeBackoffMs(this.#attempt, this.#options.retry, this.#options.random);
    this.#attempt += 1;
    this.#timer = setTimeout(() => this.start(), pauseMs);
    const retryAt = Date.now() + pauseMs;
    this.#events.onState({
      status: "reconnecting",
      attempt: this.#attempt,
      retryAt,
      reason,
      ...(refusal && { refusal }),
    });
  }
}
