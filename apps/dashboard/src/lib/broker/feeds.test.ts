import type { Message } from "@merkle/wire";
import { type FollowOptions, MerkleError, type Subscription } from "@merkle/wire/client";
import { expect, it } from "vitest";
import { Feeds, type Reader } from "./feeds";

const session = "00000000-0000-4000-8000-000000000001";

it("[DASH-3] however many read a feed, it is fetched once, and each gets what it lacks, in order and once", async () => {
  const client = new FakeClient();
  const feeds = new Feeds(client);
  const early = new NotingReader(0);
  const late = new NotingReader(3);
  feeds.read(session, undefined, late);
  await expect.poll(() => client.open()).toHaveLength(1);
  feeds.read(session, undefined, early);
  await expect.poll(() => client.open().map(({ options }) => options.after)).toEqual([0]);
  for (const sequence of [1, 2, 3, 4, 5]) client.bring(sequence);
  await expect.poll(() => early.sequences).toEqual([1, 2, 3, 4, 5]);
  expect(late.sequences).toEqual([4, 5]);
});

it("[DASH-3] a session is one feed, whether it is named by id or slug", async () => {
  const client = new FakeClient();
  const feeds = new Feeds(client);
  const readers = [new NotingReader(null), new NotingReader(0)];
  feeds.read("auth-refactor", undefined, readers[0] as Reader);
  feeds.read(session, undefined, readers[1] as Reader);
  await expect.poll(() => client.open().map(({ options }) => options.after)).toEqual([0]);
  await expect.poll(() => readers.map(({ hints }) => hints)).toEqual([1, 1]);
  client.change();
  expect(readers.map(({ hints }) => hints)).toEqual([2, 2]);
});

it("[DASH-3] who only wants hints gets no messages, and the last to leave ends the subscription", async () => {
  const client = new FakeClient();
  const feeds = new Feeds(client);
  const hinted = new NotingReader(null);
  const stop = feeds.read(session, undefined, hinted);
  // Once it has begun, what was read before may be old.
  await expect.poll(() => hinted.hints).toBe(1);
  client.bring(1);
  client.change();
  expect(hinted).toMatchObject({ sequences: [], hints: 2 });
  stop();
  expect(client.open()).toEqual([]);
});

it("[DASH-3] who reads on from where a feed for hints alone stands, shares it as it is", async () => {
  const client = new FakeClient();
  const feeds = new Feeds(client);
  const hinted = new NotingReader(null);
  feeds.read(session, undefined, hinted);
  await expect.poll(() => hinted.hints).toBe(1);
  const reading = new NotingReader(0);
  feeds.read(session, undefined, reading);
  await new Promise((resolve) => setImmediate(resolve)); // Names are looked up before a reader is added.
  client.bring(1);
  await expect.poll(() => reading.sequences).toEqual([1]);
  expect(client.open().map(({ options }) => options.after)).toEqual([undefined]);
});

it("[DASH-5] after a restore, those who have a cursor are told to begin anew, and the others go on", async () => {
  const client = new FakeClient();
  const feeds = new Feeds(client);
  const [reading, hinted] = [new NotingReader(7), new NotingReader(null)];
  feeds.read(session, undefined, reading);
  feeds.read(session, undefined, hinted);
  await expect.poll(() => client.open()).toHaveLength(1);
  client.restore();
  expect(reading.resyncs).toBe(1);
  await expect.poll(() => client.open().map(({ options }) => options.after)).toEqual([undefined]);
});

it("[DASH-3] a session that there is none of ends every reader with the broker's reason", async () => {
  const client = new FakeClient();
  const feeds = new Feeds(client);
  const reader = new NotingReader(0);
  feeds.read(session, undefined, reader);
  await expect.poll(() => client.open()).toHaveLength(1);
  client.refuse(new MerkleError("not_found", "There is no such session."));
  expect(reader.errors).toEqual(["not_found"]);
});

class NotingReader implements Reader {
  readonly after: number | null;
  readonly sequences: number[] = [];
  readonly errors: string[] = [];
  hints = 0;
  resyncs = 0;

  constructor(after: number | null) {
    this.after = after;
  }

  onMessages(messages: readonly Message[]): void {
    this.sequences.push(...messages.map(({ sequence }) => sequence));
  }

  onChanged(): void {
    this.hints += 1;
  }

  onResync(): void {
    this.resyncs += 1;
  }

  onError(error: MerkleError): void {
    this.errors.push(error.code);
  }
}

interface Opened {
  readonly options: FollowOptions;
  cursor: number;
  isClosed: boolean;
}

/** A client whose broker is this test: subscriptions get what is brought to them. */
class FakeClient {
  readonly #opened: Opened[] = [];

  readonly call = async () => ({ session_id: session }) as never;

  follow(options: FollowOptions): Subscription {
    const opened: Opened = { options, cursor: options.after ?? 0, isClosed: false };
    this.#opened.push(opened);
    return {
      get cursor() {
        return opened.cursor;
      },
      ready: Promise.resolve(),
      close: () => {
        opened.isClosed = true;
      },
    };
  }

  open(): readonly Opened[] {
    return this.#opened.filter(({ isClosed }) => !isClosed);
  }

  bring(sequence: number): void {
    for (const opened of this.open()) {
      if (sequence <= opened.cursor) continue;
      opened.cursor = sequence;
      opened.options.onMessage({ sequence } as Message);
    }
  }

  change(): void {
    for (const { options } of this.open()) options.onChanged?.({ kind: "document", version: 1 });
  }

  restore(): void {
    for (const { options } of this.open()) options.onResync?.({ epoch: "another" });
  }

  refuse(error: MerkleError): void {
    for (const opened of this.open()) {
      opened.isClosed = true;
      opened.options.onError?.(error);
    }
  }
}
