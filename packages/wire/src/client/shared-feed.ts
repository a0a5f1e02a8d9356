import { MerkleError } from "../core/errors.js";
import type { Message } from "../feed/message.js";
import { callListener } from "./call-listener.js";
import type { MerkleClient } from "./connect.js";
import { type FeedChange, type FeedOptions, FeedReader } from "./feed-reader.js";
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

const resyncsInARowMax = 3;

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
  #subscription: Subscription | undefined;
  /**
   * True if the subscription's cursor is known. If all readers want only hints, the broker chooses where the
   * subscription starts.
   */
  #hasCursor = false;
  #isReady = false;
  #epoch: string | undefined;
  #flushTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: FeedClient, session: FeedSession, onEmpty: () => void) {
    this.#client = client;
    this.#session = session;
    this.#onEmpty = onEmpty;
  }

  add(options: FeedOptions): LiveFeed {
    const reader = new FeedReader(options, {
      onDrained: () => this.#updateSubscription(),
      onFailed: (error) => this.#end(reader, error),
    });
    this.#readers.add(reader);
    this.#epoch ??= options.epoch;
    if (options.epoch !== undefined && options.epoch !== this.#epoch && this.#epoch !== undefined) {
      void this.#resyncReader(reader, { epoch: this.#epoch });
    }
    this.#updateSubscription();
    if (this.#isReady) reader.markReady();
    const getEpoch = () => this.#subscription?.epoch ?? this.#epoch;
    return {
      get cursor() {
        return reader.deliveredSequence;
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

  #updateSubscription(): void {
    if (this.#readers.size === 0) return;
    const readers = [...this.#readers];
    const cursors = readers.flatMap(({ cursor, canReceive }) =>
      canReceive && cursor !== null ? [cursor] : [],
    );
    const needsHints = readers.some(({ cursor }) => cursor === null);
    if (cursors.length === 0 && !needsHints) return this.#unsubscribe();
    const from = cursors.length === 0 ? undefined : Math.min(...cursors);
    if (
      this.#subscription &&
      (from === undefined || (this.#hasCursor && this.#subscription.cursor <= from))
    ) {
      return;
    }
    this.#subscribe(from);
  }

  #subscribe(after: number | undefined): void {
    this.#unsubscribe();
    const { id, teamId } = this.#session;
    this.#hasCursor = after !== undefined;
    const subscription = this.#client.follow({
      session: id,
      ...(after !== undefined && { after }),
      ...(after !== undefined && this.#epoch !== undefined && { epoch: this.#epoch }),
      ...(teamId !== undefined && { teamId }),
      onMessage: (message) => this.#receive(message),
      onChanged: ({ kind }) => this.hint({ kind }),
      onResync: (resynced) => this.#resync(resynced),
      onError: (error) => this.#fail(error),
    });
    this.#subscription = subscription;
    const handleStart = () => this.#subscription === subscription && this.#handleStart();
    subscription.ready.then(handleStart, () => undefined); // The end is reported through `onError`.
  }

  #unsubscribe(): void {
    this.#epoch = this.#subscription?.epoch ?? this.#epoch;
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#isReady = false;
  }

  /**
   * Called when the subscription has begun. Sends a hint to all readers, because changes between their first
   * reads and now were not reported.
   */
  #handleStart(): void {
    this.#hasCursor = true;
    this.#isReady = true;
    this.#epoch = this.#subscription?.epoch ?? this.#epoch;
    for (const reader of [...this.#readers]) reader.markReady();
    this.hint({ kind: "all" });
  }

  #receive(message: Message): void {
    let isEveryReaderFull = true;
    for (const reader of this.#readers) {
      reader.receive(message);
      if (reader.cursor === null || reader.canReceive) isEveryReaderFull = false;
    }
    if (isEveryReaderFull) this.#unsubscribe();
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
    this.#subscription?.close();
    this.#subscription = undefined;
    this.#isReady = false;
    this.#epoch = resynced.epoch;
    for (const reader of [...this.#readers]) {
      if (reader.cursor !== null) void this.#resyncReader(reader, resynced);
    }
    this.#updateSubscription();
  }

  async #resyncReader(reader: FeedReader, resynced: Resync): Promise<void> {
    const { onResync } = reader.options;
    reader.suspend();
    if (!onResync || reader.resyncsInARow > resyncsInARowMax)
      return this.#end(reader, restoredError(resynced));
    try {
      const after = await onResync.call(reader.options, resynced);
      if (!this.#readers.has(reader)) return;
      if (typeof after !== "number") return this.#remove(reader);
      reader.resume(after);
      this.#updateSubscription();
    } catch (error) {
      this.#end(reader, error);
    }
  }

  #fail(error: MerkleError): void {
    this.#subscription = undefined;
    for (const reader of [...this.#readers]) this.#end(reader, error);
  }

  #end(reader: FeedReader, error: unknown): void {
    if (!this.#readers.has(reader)) return;
    this.#remove(reader);
    callListener(() => reader.options.onError?.(error));
  }

  #remove(reader: FeedReader): void {
    reader.suspend();
    if (!this.#readers.delete(reader) || this.#readers.size > 0) return;
    clearTimeout(this.#flushTimer);
    this.#unsubscribe();
    this.#onEmpty();
  }
}

function restoredError({ epoch }: Resync): MerkleError {
  return new MerkleError(
    "resync",
    "The broker's database was restored: the cursor of this feed is no longer valid.",
    { epoch },
  );
}
