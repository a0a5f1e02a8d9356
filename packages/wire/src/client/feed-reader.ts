import type { Message } from "../feed/message.js";
import type { ChangedKind } from "../transports/frames.js";
import { callListener } from "./call-listener.js";
import type { Resynced } from "./subscription.js";

/** A hint that a read would return something new. `all` if hints may have been missed. */
export interface FeedChange {
  readonly kind: ChangedKind | "all";
}

export interface FeedOptions {
  /** Id or slug of the session. */
  readonly session: string;
  /** Credential of a team, if the broker requires one for reading. */
  readonly teamId?: string | undefined;
  /** Starts after this message. Null to receive only hints. */
  readonly after: number | null;
  /** Epoch of `after`, if it was saved from an earlier connection. */
  readonly epoch?: string | undefined;
  /**
   * Called with one or more consecutive messages. While its promise is pending it is not called again. Up to
   * 2 MiB of further messages are buffered, and later ones are read again from the broker. An exception ends
   * the feed with that error.
   */
  onMessages(messages: readonly Message[]): void | Promise<void>;
  /** Called once, when live messages begin to arrive. */
  onReady?(): void;
  onChanged?(change: FeedChange): void;
  /**
   * Called when the broker's database was restored and the cursor is invalid. The feed continues after the
   * returned sequence, or ends if it is undefined. Without this listener the feed ends with the error
   * `resync`.
   */
  onResync?(resynced: Resynced): number | undefined | Promise<number | undefined>;
  /** Called when the feed has ended permanently, except after `close()` or an unanswered resync. */
  onError?(error: unknown): void;
}

/**
 * Size of the buffer for a slow reader. Messages beyond it are read again later, so a small buffer would be
 * costly.
 */
const waitingCharsMax = 2 * 1024 * 1024;

interface ReaderEvents {
  /** Called when the reader accepts messages again after its buffer was full. */
  drained(): void;
  failed(error: unknown): void;
}

/** One reader of a feed, with its cursor and its buffer. */
export class FeedReader {
  readonly options: FeedOptions;
  /** Sequence of the last message put into the buffer. Null for a reader of hints only. */
  cursor: number | null;
  /** Sequence of the last message delivered to the reader. */
  handedOver: number | null;
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
    this.handedOver = options.after;
  }

  get takesMore(): boolean {
    return this.#state === "reading";
  }

  ready(): void {
    if (this.#wasReady) return;
    this.#wasReady = true;
    callListener(() => this.options.onReady?.());
  }

  receive(message: Message): void {
    if (this.cursor === null || this.#state !== "reading" || message.sequence <= this.cursor) return;
    this.cursor = message.sequence;
    this.#waiting.push(message);
    // Only the buffer of a busy reader can grow large.
    if (this.#isBusy) this.#waitingChars += charsOf(message);
    if (this.#waitingChars > waitingCharsMax) this.#state = "full";
  }

  /** Delivers buffered messages, including those that arrive in between, until the buffer is empty. */
  async flush(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#waiting.length > 0) {
        const messages = this.#waiting;
        this.#waiting = [];
        this.#waitingChars = 0;
        this.handedOver = messages.at(-1)?.sequence ?? this.handedOver;
        this.resyncsInARow = 0;
        await this.options.onMessages(messages);
      }
    } catch (error) {
      this.#events.failed(error);
    } finally {
      this.#isBusy = false;
    }
    if (this.#state !== "full") return;
    this.#state = "reading";
    this.#events.drained();
  }

  /**
   * Stops accepting messages until `resume`. The buffered messages belong to the old epoch and are dropped.
   */
  suspend(): void {
    this.#state = "suspended";
    this.resyncsInARow += 1;
    this.#waiting = [];
    this.#waitingChars = 0;
  }

  resume(after: number): void {
    this.cursor = after;
    this.handedOver = after;
    this.#state = "reading";
  }
}

/** Estimates the size of a message as JSON. */
function charsOf(message: Message): number {
  const fieldsBesideContent = 500;
  return JSON.stringify(message.content).length + fieldsBesideContent;
}
