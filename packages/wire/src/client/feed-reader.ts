import type { Message } from "../feed/message.js";
import type { ChangedKind } from "../transports/frames.js";
import { callListener } from "./call-listener.js";
import type { Resynced } from "./subscription.js";

/** A hint that a read would now differ; `all` when hints may have been missed. */
export interface FeedChange {
  readonly kind: ChangedKind | "all";
}

export interface FeedOptions {
  /** The session's id or slug. */
  readonly session: string;
  /** The credential of a team, where the broker lets only those read who have one. */
  readonly teamId?: string | undefined;
  /** Start after this message; null for hints alone. */
  readonly after: number | null;
  /** The epoch in which `after` was true, when it was kept from an earlier connection. */
  readonly epoch?: string | undefined;
  /**
   * Called with one or more messages that follow each other without a hole. While a promise that it returned is pending it
   * is not called again; of what comes meanwhile 2 MiB are kept, and the rest is read from the broker afterwards. What it
   * throws ends the feed with that error.
   */
  onMessages(messages: readonly Message[]): void | Promise<void>;
  /** Called once when messages are known to come in from here on. */
  onReady?(): void;
  onChanged?(change: FeedChange): void;
  /**
   * Called when the broker's database was restored, so that the cursor has lost its meaning. The feed goes on after the
   * sequence that is returned; it has ended when that is undefined. Without this listener it ends with the error `resync`.
   */
  onResync?(resynced: Resynced): number | undefined | Promise<number | undefined>;
  /** Called when the feed has ended for good, other than by `close()` or a resync that was not answered. */
  onError?(error: unknown): void;
}

/** Messages that wait for a slow reader. What is beyond is read again later, so little would cost much. */
const waitingCharsMax = 2 * 1024 * 1024;

interface ReaderEvents {
  /** It takes messages again, after it had as many as it may. */
  drained(): void;
  failed(error: unknown): void;
}

/** One reader of a feed: how far it has got, and what it has not taken yet. */
export class FeedReader {
  readonly options: FeedOptions;
  /** The last sequence that was kept for it; null for hints alone. */
  cursor: number | null;
  /** The last sequence that it was handed. */
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
    // Only what waits for a reader that is busy can become much.
    if (this.#isBusy) this.#waitingChars += charsOf(message);
    if (this.#waitingChars > waitingCharsMax) this.#state = "full";
  }

  /** Hands over what waits, and what comes meanwhile, until nothing is left. */
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

  /** Takes nothing until it is resumed; what waits belongs to a feed that is no more. */
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

/** About as many as it has as JSON. */
function charsOf(message: Message): number {
  const fieldsBesideContent = 500;
  return JSON.stringify(message.content).length + fieldsBesideContent;
}
