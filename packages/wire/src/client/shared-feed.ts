import { MerkleError } from "../core/errors.js";
import type { Message } from "../feed/message.js";
import { callListener } from "./call-listener.js";
import type { MerkleClient } from "./connect.js";
import { type FeedChange, type FeedOptions, FeedReader } from "./feed-reader.js";
import { type FeedStart, findStart } from "./reader-state.js";
import type { Resync, Subscription } from "./subscription.js";

export interface LiveFeed {
  /**
   * Sequence of the last delivered message or, before the first one, the sequence to start after. Null if the
   * reader gets only hints.
   */
  readonly cursor: number | null;
  /** Epoch that the cursor belongs to. Undefined while it is unknown. */
  readonly epoch: string | undefined;
  /** Ends the feed, after which no listener is called. May be called more than once. */
  close(): void;
}

export type FeedClient = Pick<MerkleClient, "call" | "follow" | "state" | "onState">;

interface FeedSession {
  readonly id: string;
  /** Credential of the first reader's team, if the broker requires one for reading. */
  readonly teamId: string | undefined;
}

interface SharedSubscription {
  readonly subscription: Subscription;
  readonly start: FeedStart;
  isReady: boolean;
}

/**
 * A session's feed, shared by all its readers. A single subscription starts at the lowest of the readers'
 * cursors. If a reader that is further behind joins, the subscription starts again from that reader's cursor,
 * and the other readers skip messages that they already have. While every reader's buffer is full, there is
 * no subscription, so that slow readers cost no memory in the client or the broker.
 */
export class SharedFeed {
  readonly #client: FeedClient;
  readonly #session: FeedSession;
  readonly #onEmpty: () => void;
  readonly #readers = new Set<FeedReader>();
  #shared: SharedSubscription | undefined;
  /** Epoch of the readers' cursors while there is no subscription. Undefined while it is unknown. */
  #epoch: string | undefined;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: FeedClient, session: FeedSession, onEmpty: () => void) {
    this.#client = client;
    this.#session = session;
    this.#onEmpty = onEmpty;
  }

  add(options: FeedOptions): LiveFeed {
    const reader = new FeedReader(options, {
      onSubscribe: () => this.#updateSubscription(),
      onFailed: (error) => this.#fail(reader, error),
    });
    this.#readers.add(reader);
    this.#epoch ??= options.epoch;
    if (options.epoch !== undefined && options.epoch !== this.#epoch && this.#epoch !== undefined) {
      void this.#resyncReader(reader, { epoch: this.#epoch });
    }
    this.#updateSubscription();
    if (this.#shared?.isReady) reader.markReady();
    const getEpoch = () => this.#shared?.subscription.epoch ?? this.#epoch;
    return {
      get cursor() {
        return reader.cursor;
      },
      get epoch() {
        return getEpoch();
      },
      close: () => this.#remove(reader),
    };
  }

  hint(change: FeedChange): void {
    for (const { options } of [...this.#readers]) callListener(() => options.onChanged?.(change));
  }

  #findStart(): FeedStart | null {
    return findStart([...this.#readers].map(({ state }) => state));
  }

  #updateSubscription(): void {
    const start = this.#findStart();
    if (start === null) this.#unsubscribe();
    else if (!this.#shared || !isCovering(this.#shared, start)) this.#subscribe(start);
  }

  #subscribe(start: FeedStart): void {
    this.#unsubscribe();
    const { id, teamId } = this.#session;
    const subscription = this.#client.follow({
      session: id,
      ...(start !== "anywhere" && { after: start }),
      ...(start !== "anywhere" && this.#epoch !== undefined && { epoch: this.#epoch }),
      ...(teamId !== undefined && { teamId }),
      onMessage: (message) => this.#receive(message),
      onChanged: ({ kind }) => this.hint({ kind }),
      onResync: (resynced) => this.#resync(resynced),
      onError: (error) => this.#failAll(error),
    });
    const shared: SharedSubscription = { subscription, start, isReady: false };
    this.#shared = shared;
    const handleStart = () => this.#shared === shared && this.#handleStart(shared);
    subscription.ready.then(handleStart, () => undefined); // The end is reported through `onError`.
  }

  #unsubscribe(): void {
    if (!this.#shared) return;
    const { subscription } = this.#shared;
    this.#epoch = subscription.epoch ?? this.#epoch;
    this.#shared = undefined;
    subscription.close();
  }

  /**
   * Called when the subscription has begun. Sends a hint to all readers, because changes between their first
   * reads and now were not reported.
   */
  #handleStart(shared: SharedSubscription): void {
    shared.isReady = true;
    this.#epoch = shared.subscription.epoch ?? this.#epoch;
    for (const reader of [...this.#readers]) reader.markReady();
    this.hint({ kind: "all" });
  }

  #receive(message: Message): void {
    for (const reader of this.#readers) reader.receive(message);
    if (this.#findStart() === null) this.#unsubscribe();
    // Messages that arrive in the same turn of the event loop are delivered together.
    this.#flushTimer ??= setTimeout(() => this.#flush(), 0);
  }

  #flush(): void {
    this.#flushTimer = undefined;
    for (const reader of [...this.#readers]) void reader.flush();
  }

  /**
   * Invalidates all cursors. Each reader of messages says where to continue. Readers that get only hints
   * continue without being asked.
   */
  #resync(resynced: Resync): undefined {
    this.#unsubscribe();
    this.#epoch = resynced.epoch;
    for (const reader of [...this.#readers]) void this.#resyncReader(reader, resynced);
    this.#updateSubscription();
  }

  async #resyncReader(reader: FeedReader, resynced: Resync): Promise<void> {
    const effect = reader.advance({ type: "restored", epoch: resynced.epoch });
    if (effect === null) return;
    const { onResync } = reader.options;
    if (!onResync || effect === "fail") return this.#fail(reader, restoredError(resynced));
    try {
      const after = await onResync.call(reader.options, resynced);
      if (typeof after !== "number") return this.#remove(reader);
      reader.advance({ type: "continued", after, epoch: resynced.epoch });
      this.#updateSubscription();
    } catch (error) {
      this.#fail(reader, error);
    }
  }

  #failAll(error: MerkleError): void {
    this.#shared = undefined;
    for (const reader of [...this.#readers]) this.#fail(reader, error);
  }

  #fail(reader: FeedReader, error: unknown): void {
    if (!this.#readers.has(reader)) return;
    this.#remove(reader);
    callListener(() => reader.options.onError?.(error));
  }

  #remove(reader: FeedReader): void {
    reader.advance({ type: "ended" });
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    clearTimeout(this.#flushTimer);
    this.#unsubscribe();
    this.#onEmpty();
  }
}

/**
 * Returns whether a subscription brings the messages after a sequence. If it may start anywhere, its cursor is unknown
 * until the broker confirms it.
 */
function isCovering({ subscription, start, isReady }: SharedSubscription, after: FeedStart): boolean {
  return after === "anywhere" || ((isReady || start !== "anywhere") && subscription.cursor <= after);
}

function restoredError({ epoch }: Resync): MerkleError {
  return new MerkleError(
    "resync",
    "The broker's database was restored: the cursor of this feed is no longer valid.",
    { epoch },
  );
}
