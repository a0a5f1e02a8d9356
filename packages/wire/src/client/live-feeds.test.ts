import { expect, it } from "vitest";
import type { Message } from "../feed/message.js";
import {
  type ConnectionState,
  type FeedOptions,
  type FollowOptions,
  LiveFeeds,
  MerkleError,
  type Subscription,
} from "./index.js";

const session = "00000000-0000-4000-8000-000000000001";

it("[DASH-3] however many read a feed, it is fetched once, and each gets what it lacks, in order and once", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const early = new NotingReader(0);
  const late = new NotingReader(3);
  feeds.follow(late);
  await expect.poll(() => client.open()).toHaveLength(1);
  feeds.follow(early);
  await expect.poll(() => client.open().map(({ options }) => options.after)).toEqual([0]);
  for (const sequence of [1, 2, 3, 4, 5]) client.bring(sequence);
  await expect.poll(() => early.sequences).toEqual([1, 2, 3, 4, 5]);
  expect(late.sequences).toEqual([4, 5]);
});

it("[DASH-3] a session is one feed, whether it is named by id or slug", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const readers = [new NotingReader(null, "auth-refactor"), new NotingReader(0)];
  for (const reader of readers) feeds.follow(reader);
  await expect.poll(() => client.open().map(({ options }) => options.after)).toEqual([0]);
  await expect.poll(() => readers.map(({ hints }) => hints)).toEqual([1, 1]);
  client.change();
  expect(readers.map(({ hints }) => hints)).toEqual([2, 2]);
});

it("[DASH-3] who only wants hints gets no messages, and the last to leave ends the subscription", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const hinted = new NotingReader(null);
  const feed = feeds.follow(hinted);
  // When the feed starts, the reader gets a hint, because what it has read before may be out of date.
  await expect.poll(() => hinted.hints).toBe(1);
  client.bring(1);
  client.change();
  expect(hinted).toMatchObject({ sequences: [], hints: 2 });
  feed.close();
  expect(client.open()).toEqual([]);
});

it("[DASH-3] who reads on from where a feed for hints alone stands, shares it as it is", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const hinted = new NotingReader(null);
  feeds.follow(hinted);
  await expect.poll(() => hinted.hints).toBe(1);
  const reading = new NotingReader(0);
  feeds.follow(reading);
  await new Promise((resolve) => setImmediate(resolve)); // The session's id is looked up before the reader is added.
  client.bring(1);
  await expect.poll(() => reading.sequences).toEqual([1]);
  expect(client.open().map(({ options }) => options.after)).toEqual([undefined]);
});

it("[DASH-5] after a restore, those who have a cursor are told to begin anew, and the others go on", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const [reading, hinted] = [new NotingReader(7), new NotingReader(null)];
  feeds.follow(reading);
  feeds.follow(hinted);
  await expect.poll(() => client.open()).toHaveLength(1);
  client.restore();
  expect(reading.resyncs).toBe(1);
  await expect.poll(() => client.open().map(({ options }) => options.after)).toEqual([undefined]);
});

it("[DASH-3] a session that there is none of ends every reader with the broker's reason", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const reader = new NotingReader(0);
  feeds.follow(reader);
  await expect.poll(() => client.open()).toHaveLength(1);
  client.refuse(new MerkleError("not_found", "There is no such session."));
  expect(reader.errors).toEqual(["not_found"]);
});

it("[CLIENT-3] a slow reader gets no second call while it works, and what it has no room for is read again later", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const calls: { sequences: number[]; done: () => void }[] = [];
  const slow = new NotingReader(0);
  slow.onMessages = (messages) =>
    new Promise((resolve) => {
      calls.push({ sequences: messages.map(({ sequence }) => sequence), done: resolve });
    });
  const feed = feeds.follow(slow);
  await expect.poll(() => client.open()).toHaveLength(1);
  const text = "x".repeat(1024 * 1024);
  client.bring(1);
  await expect.poll(() => calls).toHaveLength(1);
  client.bring(2, text);
  client.bring(3, text);
  // Every reader's buffer is full, so the subscription has ended.
  expect(client.open()).toEqual([]);
  expect(feed.cursor).toBe(1);
  calls[0]?.done();
  await expect.poll(() => calls.map(({ sequences }) => sequences)).toEqual([[1], [2, 3]]);
  calls[1]?.done();
  await expect.poll(() => client.open().map(({ options }) => options.after)).toEqual([3]);
  expect(client.open()[0]?.options.epoch).toBe("first");
  client.bring(4);
  await expect.poll(() => calls.at(-1)?.sequences).toEqual([4]);
});

it("[CLIENT-3] a slow reader holds up nobody else", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const [slow, quick] = [new NotingReader(0), new NotingReader(0)];
  let release = () => {};
  slow.onMessages = async (messages) => {
    slow.sequences.push(...messages.map(({ sequence }) => sequence));
    await new Promise<void>((resolve) => {
      release = resolve;
    });
  };
  feeds.follow(slow);
  feeds.follow(quick);
  await expect.poll(() => client.open()).toHaveLength(1);
  client.bring(1);
  await expect.poll(() => slow.sequences).toEqual([1]);
  for (const sequence of [2, 3, 4, 5]) client.bring(sequence, "x".repeat(1024 * 1024));
  await expect.poll(() => quick.sequences).toEqual([1, 2, 3, 4, 5]);
  release();
  // The slow reader's buffer had room for two messages. The remaining ones are delivered again, but only to
  // this reader.
  await expect.poll(() => slow.sequences).toEqual([1, 2, 3]);
  release();
  await expect.poll(() => client.open().map(({ options }) => options.after)).toEqual([3]);
  for (const sequence of [4, 5]) client.bring(sequence);
  await expect.poll(() => slow.sequences).toEqual([1, 2, 3, 4, 5]);
  expect(quick.sequences).toEqual([1, 2, 3, 4, 5]);
});

it("[CLIENT-4] a reader may take its time to say where a restored feed goes on", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const reader = new NotingReader(7);
  let answer = (_after: number) => {};
  reader.onResync = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  const feed = feeds.follow(reader);
  await expect.poll(() => client.open()).toHaveLength(1);
  client.restore();
  expect(client.open()).toEqual([]);
  answer(2);
  await expect.poll(() => client.open().map(({ options }) => options.after)).toEqual([2]);
  expect(client.open()[0]?.options.epoch).toBe("another");
  client.bring(3);
  await expect.poll(() => reader.sequences).toEqual([3]);
  expect(feed).toMatchObject({ cursor: 3, epoch: "another" });
});

it("[CLIENT-4] a cursor that was kept from another epoch is not read on from", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const reading = new NotingReader(0);
  feeds.follow(reading);
  await expect.poll(() => reading.hints).toBe(1);
  const older = Object.assign(new NotingReader(0), { epoch: "older" });
  feeds.follow(older);
  await expect.poll(() => older.resyncs).toBe(1);
  client.bring(1);
  await expect.poll(() => reading.sequences).toEqual([1]);
  expect(older.sequences).toEqual([]);
});

it("[CLIENT-4] an answer to a restore counts no more once there was another restore", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const reader = new NotingReader(7);
  const answers: ((after: number) => void)[] = [];
  reader.onResync = () => new Promise((resolve) => answers.push(resolve));
  const feed = feeds.follow(reader);
  await expect.poll(() => client.open()).toHaveLength(1);
  client.restore("second");
  feeds.follow(new NotingReader(null)); // Opens a subscription, over which the next restore arrives.
  await expect.poll(() => client.open()).toHaveLength(1);
  client.restore("third");
  answers[0]?.(2);
  answers[1]?.(4);
  await expect.poll(() => feed.cursor).toBe(4);
  for (const sequence of [3, 4, 5]) client.bring(sequence);
  await expect.poll(() => reader.sequences).toEqual([5]);
  expect(feed.epoch).toBe("third");
});

it("[CLIENT-4] a reader of hints has no cursor that another epoch could end", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  feeds.follow(new NotingReader(0));
  await expect.poll(() => client.open()).toHaveLength(1);
  const hinted = Object.assign(new NotingReader(null), { epoch: "older" });
  feeds.follow(hinted);
  await new Promise((resolve) => setImmediate(resolve)); // The session's id is looked up before the reader is added.
  client.change();
  expect(hinted).toMatchObject({ hints: 1, resyncs: 0, errors: [] });
});

it("[CLIENT-4] without a listener for resync a feed ends with that error", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const errors: unknown[] = [];
  feeds.follow({ session, after: 1, onMessages: () => undefined, onError: (error) => errors.push(error) });
  await expect.poll(() => client.open()).toHaveLength(1);
  client.restore();
  expect(errors).toMatchObject([{ code: "resync", details: { epoch: "another" } }]);
  expect(client.open()).toEqual([]);
});

it("[CLIENT-3] what a reader throws ends it, with that error", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const errors: unknown[] = [];
  const fault = new Error("Nobody reads any more.");
  feeds.follow({
    session,
    after: 0,
    onMessages: () => Promise.reject(fault),
    onError: (error) => errors.push(error),
  });
  await expect.poll(() => client.open()).toHaveLength(1);
  client.bring(1);
  await expect.poll(() => errors).toEqual([fault]);
  expect(client.open()).toEqual([]);
});

it("[DASH-3] after each return of the connection readers are told that anything may have changed", async () => {
  const client = new FakeClient();
  const feeds = new LiveFeeds(client);
  const hinted = new NotingReader(null);
  feeds.follow(hinted);
  await expect.poll(() => hinted.hints).toBe(1);
  client.connected();
  expect(hinted.hints).toBe(1);
  client.connected();
  expect(hinted.hints).toBe(2);
});

class NotingReader implements FeedOptions {
  readonly session: string;
  readonly after: number | null;
  readonly sequences: number[] = [];
  readonly errors: unknown[] = [];
  hints = 0;
  resyncs = 0;

  constructor(after: number | null, name: string = session) {
    this.session = name;
    this.after = after;
  }

  onMessages: FeedOptions["onMessages"] = (messages) => {
    this.sequences.push(...messages.map(({ sequence }) => sequence));
  };

  onChanged(): void {
    this.hints += 1;
  }

  onResync: NonNullable<FeedOptions["onResync"]> = () => {
    this.resyncs += 1;
    return undefined;
  };

  onError(error: unknown): void {
    this.errors.push(error instanceof MerkleError ? error.code : error);
  }
}

interface Opened {
  readonly options: FollowOptions;
  cursor: number;
  isClosed: boolean;
}

/** A client whose broker is the test, which delivers messages to the client's subscriptions. */
class FakeClient {
  readonly #opened: Opened[] = [];
  readonly #onState = new Set<(state: ConnectionState) => void>();
  #epoch = "first";
  readonly state: ConnectionState = { status: "connecting" };

  readonly call = async () => ({ session_id: session }) as never;

  follow(options: FollowOptions): Subscription {
    const opened: Opened = { options, cursor: options.after ?? 0, isClosed: false };
    this.#opened.push(opened);
    const epoch = this.#epoch;
    return {
      get cursor() {
        return opened.cursor;
      },
      epoch,
      ready: Promise.resolve(),
      close: () => {
        opened.isClosed = true;
      },
    };
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.#onState.add(listener);
    return () => void this.#onState.delete(listener);
  }

  connected(): void {
    for (const tell of this.#onState) tell({ status: "open", epoch: this.#epoch, version: "1", build: 1 });
  }

  open(): readonly Opened[] {
    return this.#opened.filter(({ isClosed }) => !isClosed);
  }

  bring(sequence: number, text = ""): void {
    for (const opened of this.open()) {
      if (sequence <= opened.cursor) continue;
      opened.cursor = sequence;
      opened.options.onMessage({ sequence, content: { text } } as unknown as Message);
    }
  }

  change(): void {
    for (const { options } of this.open()) options.onChanged?.({ kind: "document", version: 1 });
  }

  restore(epoch = "another"): void {
    this.#epoch = epoch;
    for (const { options } of this.open()) options.onResync?.({ epoch });
  }

  refuse(error: MerkleError): void {
    for (const opened of this.open()) {
      opened.isClosed = true;
      opened.options.onError?.(error);
    }
  }
}
