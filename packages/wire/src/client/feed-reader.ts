import type { Message } from "../feed/message.js";
import type { ChangedKind } from "../transports/frames.js";
import { callListener } from "./call-listener.js";
import {
  advanceReader,
  createReaderState,
  findDelivered,
  type ReaderEffect,
  type ReaderEvent,
  type ReaderState,
} from "./reader-state.js";
import type { Resync } from "./subscription.js";

/** A hint that reading again would return something new. The kind is `all` if hints may have been missed. */
export interface FeedChange {
  readonly kind: ChangedKind | "all";
}

export interface FeedOptions {
  /** Id or slug of the session. */
  readonly session: string;
  /** Credential of a team. Needed only if the broker requires one for reading. */
  readonly teamId?: string | undefined;
  /** Sequence of the message after which to start. Null to receive only hints. */
  readonly after: number | null;
  /** Epoch in which `after` was saved, if that was on an earlier connection. */
  readonly epoch?: string | undefined;
  /**
   * Called with one or more consecutive messages. Not called again while its promise is pending. Meanwhile,
   * up to 2 MiB of messages are buffered, and later ones are read again from the broker. An exception ends
   * the feed with that error.
   */
  onMessages(messages: readonly Message[]): void | Promise<void>;
  /** Called once, when messages begin to arrive as they are posted. */
  onReady?(): void;
  onChanged?(change: FeedChange): void;
  /**
   * Called when the cursor is invalid because the broker's database was restored. The feed continues after
   * the sequence that this returns, or ends if it returns undefined. Without this listener, the feed ends
   * with the error `resync`.
   */
  onResync?(resynced: Resync): number | undefined | Promise<number | undefined>;
  /**
   * Called when the feed has ended permanently. Not called after `close()`, or if `onResync` returned
   * undefined.
   */
  onError?(error: unknown): void;
}

interface ReaderEvents {
  /** Called when the reader needs a subscription that brings the messages after its cursor. */
  onSubscribe(): void;
  onFailed(error: unknown): void;
}

/** A reader of a feed, with its buffer. Feeds its state with what happens, and carries out the effects. */
export class FeedReader {
  readonly options: FeedOptions;
  readonly #events: ReaderEvents;
  #state: ReaderState;
  #buffer: Message[] = [];
  #wasReady = false;

  constructor(options: FeedOptions, events: ReaderEvents) {
    this.options = options;
    this.#events = events;
    this.#state = createReaderState(options.after);
  }

  get state(): ReaderState {
    return this.#state;
  }

  /** Sequence of the last message that the reader has received. Null if it receives only hints. */
  get cursor(): number | null {
    return findDelivered(this.#state);
  }

  advance(event: ReaderEvent): ReaderEffect | null {
    const { state, effect } = advanceReader(this.#state, event);
    this.#state = state;
    if (state.is === "resyncing" || state.is === "ended") this.#buffer = [];
    return effect;
  }

  markReady(): void {
    if (this.#wasReady) return;
    this.#wasReady = true;
    callListener(() => this.options.onReady?.());
  }

  receive(message: Message): void {
    const isBusy = this.#state.is === "reading" && this.#state.isBusy;
    // Measuring a message takes time, and matters only while the listener is busy.
    const chars = isBusy ? estimateChars(message) : 0;
    const effect = this.advance({ type: "received", sequence: message.sequence, chars });
    if (effect === "buffer") this.#buffer.push(message);
  }

  /** Delivers buffered messages until the buffer is empty, including those that arrive during delivery. */
  async flush(): Promise<void> {
    let effect = this.advance({ type: "flushed" });
    try {
      while (effect === "deliver") {
        const messages = this.#buffer;
        this.#buffer = [];
        await this.options.onMessages(messages);
        effect = this.advance({ type: "handled" });
      }
    } catch (error) {
      return this.#events.onFailed(error);
    }
    if (effect === "subscribe") this.#events.onSubscribe();
  }
}

/** Estimates how long a message is as JSON. */
function estimateChars(message: Message): number {
  const otherFieldsChars = 500;
  return JSON.stringify(message.content).length + otherFieldsChars;
}
