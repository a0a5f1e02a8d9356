import type { Message } from "../feed/message.js";
import type { ChangedKind } from "../transports/frames.js";
import { callListener } from "./call-listener.js";
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

/**
 * Maximum size of a slow reader's buffer. Messages that do not fit must be read from the broker again, so a
 * small buffer would be costly.
 */
const waitingCharsMax = 2 * 1024 * 1024;

interface ReaderEvents {
  /** Called when the reader accepts messages again, after its buffer was full. */
  onDrained(): void;
  onFailed(error: unknown): void;
}

/** A reader of a feed, with its cursor and its buffer. */
export class FeedReader {
  readonly options: FeedOptions;
  /** Sequence of the last message put into the buffer. Null if the reader receives only hints. */
  cursor: number | null;
  /** Sequence of the last message that the reader has received. Null if it receives only hints. */
  deliveredSequence: number | null;
  resyncsInARow = 0;
  readonly #events: ReaderEvents;
  #waiting: Message[] = [];
  #waitingChars = 0;
  #state: "reading" | "full" | "suspended" = "reading";
  #isBusy = false;
  #wasReady = false;

  constructor(options: FeedOptions, events: ReaderEvents) {
    this.options = options;
    this.#events = events;
    this.cursor = options.after;
    this.deliveredSequence = options.after;
  }

  get canReceive(): boolean {
    return this.#state === "reading";
  }

  markReady(): void {
    if (this.#wasReady) return;
    this.#wasReady = true;
    callListener(() => this.options.onReady?.());
  }

  receive(message: Message): void {
    if (this.cursor === null || this.#state !== "reading" || message.sequence <= this.cursor) return;
    this.cursor = message.sequence;
    this.#waiting.push(message);
    // Counts the message only while the reader is busy, because otherwise the buffer is emptied right away.
    if (this.#isBusy) this.#waitingChars += estimateChars(message);
    if (this.#waitingChars > waitingCharsMax) this.#state = "full";
  }

  /** Delivers buffered messages until the buffer is empty, including those that arrive during delivery. */
  async flush(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#waiting.length > 0) {
        const messages = this.#waiting;
        this.#waiting = [];
        this.#waitingChars = 0;
        this.deliveredSequence = messages.at(-1)?.sequence ?? this.deliveredSequence;
        this.resyncsInARow = 0;
        await this.options.onMessages(messages);
      }
    } catch (error) {
      this.#events.onFailed(error);
    } finally {
      this.#isBusy = false;
    }
    if (this.#state !== "full") return;
    this.#state = "reading";
    this.#events.onDrained();
  }

  /**
   * Stops accepting messages until `resume` is called. Drops the buffered messages, because they belong to an
   * earlier epoch.
   */
  suspend(): void {
    this.#state = "suspended";
    this.resyncsInARow += 1;
    this.#waiting = [];
    this.#waitingChars = 0;
  }

  resume(after: number): void {
    this.cursor = after;
    this.deliveredSequence = after;
    this.#state = "reading";
  }
}

/** Estimates how long a message is as JSON. */
function estimateChars(message: Message): number {
  const otherFieldsChars = 500;
  return JSON.stringify(message.content).length + otherFieldsChars;
}
