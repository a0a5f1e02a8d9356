import { MerkleError, type Message } from "@merkle/wire";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { FeedSource, FollowListeners, FollowStart, PageRequest } from "./feed-source";
import { FeedStore } from "./feed-store";
import type { HistoryPage } from "./feed-window";

const pageMax = 4;

interface Follower {
  cursor: number;
  readonly listeners: FollowListeners;
}

/** A fake feed whose pages and live messages arrive when the test calls for them. */
class FakeFeed implements FeedSource {
  readonly #shows: (sequence: number) => boolean;
  readonly #waiting: { answer: () => void; signal: AbortSignal }[] = [];
  #followers: Follower[] = [];
  last: number;
  epoch = "first";

  constructor(last: number, shows?: (sequence: number) => boolean) {
    this.last = last;
    this.#shows = shows ?? (() => true);
    this.isWhole = shows === undefined;
  }

  readonly isWhole: boolean;

  readPage(request: PageRequest, epoch: string | undefined, signal: AbortSignal): Promise<HistoryPage> {
    return new Promise((resolve, reject) => {
      const answer = () => {
        if (signal.aborted) reject(signal.reason);
        else if (epoch !== undefined && epoch !== this.epoch) reject(new MerkleError("resync", "Restored."));
        else resolve(this.#page(request));
      };
      this.#waiting.push({ answer, signal });
    });
  }

  readonly follow = ({ after, epoch }: FollowStart, listeners: FollowListeners): (() => void) => {
    const follower = { cursor: after, listeners };
    this.#followers.push(follower);
    if (epoch !== undefined && epoch !== this.epoch) queueMicrotask(() => this.#end(follower));
    return () => {
      this.#followers = this.#followers.filter((other) => other !== follower);
    };
  };

  /** Ends a follow whose cursor belongs to another epoch. */
  #end(follower: Follower): void {
    if (!this.#followers.includes(follower)) return;
    this.#followers = this.#followers.filter((other) => other !== follower);
    follower.listeners.onResync();
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Replies to one pending page request, chosen by index. */
  async answer(which: number): Promise<void> {
    this.#waiting.splice(which % Math.max(1, this.#waiting.length), 1)[0]?.answer();
    await settled();
  }

  /** Delivers up to `count` messages to each follower. */
  deliver(count: number): void {
    for (const follower of this.#followers) {
      const to = Math.min(this.last, follower.cursor + count);
      const messages = rangeOf(follower.cursor + 1, to).map(messageOf);
      follower.cursor = to;
      if (messages.length > 0) follower.listeners.onMessages(messages);
    }
  }

  /** Delivers this message to all followers. */
  bring(message: Message): void {
    this.last = message.sequence;
    for (const { listeners } of this.#followers) listeners.onMessages([message]);
  }

  restore(last: number): void {
    this.last = last;
    this.epoch = "second";
    const followers = this.#followers;
    this.#followers = [];
    for (const { listeners } of followers) listeners.onResync();
  }

  async settle(): Promise<void> {
    do {
      this.deliver(1_000);
      await this.answer(0);
    } while (this.waiting > 0);
  }

  #page(request: PageRequest): HistoryPage {
    const all = rangeOf(1, this.last).filter(this.#shows);
    const { is } = request;
    let shown: number[];
    if (is === "last") shown = all.slice(-pageMax);
    else if (is === "before") shown = all.filter((each) => each < request.sequence).slice(-pageMax);
    else if (is === "after") shown = all.filter((each) => each > request.sequence).slice(0, pageMax);
    else {
      const middle = all.filter((each) => each < request.sequence).length;
      shown = all.slice(Math.max(0, middle - pageMax / 2), middle + pageMax / 2);
    }
    const [first] = shown;
    const last = shown.at(-1);
    const hasOlder = first !== undefined && all[0] !== undefined && first > all[0];
    const hasNewer = last !== undefined && last < (all.at(-1) ?? 0);
    return {
      messages: shown.map(messageOf),
      next_cursor: hasOlder ? first : null,
      has_more: hasOlder,
      newer_cursor: hasNewer ? last : null,
      last_sequence: this.last,
      epoch: this.epoch,
    };
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function rangeOf(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

function messageOf(sequence: number): Message {
  return {
    id: `00000000-0000-4000-8000-${String(sequence).padStart(12, "0")}`,
    session_id: "00000000-0000-4000-8000-000000000000",
    sequence,
    type: "chat",
    posted_by_team_id: null,
    from: null,
    to: ["*"],
    priority: "next",
    content: { text: `message ${sequence}` },
    posted_at: "2026-05-02T14:00:00.000Z",
  };
}

function sequencesOf(store: FeedStore): number[] {
  return store.getState().window.messages.map(({ sequence }) => sequence);
}

const step = fc.oneof(
  fc.record({ do: fc.constant("post" as const), n: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant("deliver" as const), n: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant("answer" as const), n: fc.nat(3) }),
  fc.record({ do: fc.constant("older" as const), n: fc.constant(0) }),
  fc.record({ do: fc.constant("newer" as const), n: fc.constant(0) }),
  fc.record({ do: fc.constant("open" as const), n: fc.nat(30) }),
);

for (const kind of ["whole", "filtered"] as const) {
  it(`[DASH-60] a ${kind} feed has no hole and nothing twice, however pages, pushes and jumps interleave`, async () => {
    const shows = kind === "whole" ? undefined : (sequence: number) => sequence % 3 === 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(20), fc.array(step, { maxLength: 40 }), async (last, steps) => {
        const feed = new FakeFeed(last, shows);
        const store = new FeedStore({ source: feed, notifyIntervalMs: 0 });
        void store.open({ at: "end", as: "kept" });
        for (const { do: what, n } of steps) {
          if (what === "post") feed.last += n;
          if (what === "deliver") feed.deliver(n);
          if (what === "answer") await feed.answer(n);
          if (what === "older") void store.loadOlder();
          if (what === "newer") void store.loadNewer();
          if (what === "open") void store.open({ at: n === 0 ? "end" : n, as: "asked" });
          const { window } = store.getState();
          const expected = rangeOf(window.from, window.to).filter(shows ?? (() => true));
          expect(sequencesOf(store)).toEqual(expected);
        }
        void store.open({ at: "end", as: "kept" });
        await feed.settle();
        await feed.settle();
        expect(store.getState()).toMatchObject({ status: "ready", end: feed.last });
        expect(store.getState().window.to).toBe(feed.last);
        store.stop();
      }),
      { numRuns: 150 },
    );
  });
}

it("[DASH-60] an older page that comes after another place was opened is left out", async () => {
  const feed = new FakeFeed(5);
  const store = new FeedStore({ source: feed, notifyIntervalMs: 0 });
  void store.open({ at: "end", as: "kept" });
  await feed.answer(0);
  void store.open({ at: 6, as: "asked" });
  void store.loadOlder();
  await feed.answer(0);
  await feed.answer(0);
  expect(sequencesOf(store)).toEqual([4, 5]);
  expect(store.getState().older.loading).toBe(false);
  store.stop();
});

it("[DASH-61] after the database was restored the feed is read again, at the message that was being read", async () => {
  const feed = new FakeFeed(30);
  const store = new FeedStore({ source: feed, notifyIntervalMs: 0 });
  void store.open({ at: 20, as: "asked" });
  await feed.settle();
  store.reading = store.getState().window.messages[1] ?? null;
  expect(store.reading?.sequence).toBe(19);

  feed.restore(25);
  await feed.settle();
  expect(store.getState().place).toEqual({ at: 19, as: "kept" });
  expect(store.getState().end).toBe(25);
  expect(store.getState().refreshedAt).not.toBeNull();

  feed.restore(10);
  await feed.settle();
  expect(store.getState().place).toEqual({ at: "end", as: "kept" });
  expect(sequencesOf(store)).toEqual([9, 10]);
  store.stop();
});

it("[DASH-61] a restore between the first page and the live messages does not mix the two histories", async () => {
  const feed = new FakeFeed(30);
  const store = new FeedStore({ source: feed, notifyIntervalMs: 0 });
  void store.open({ at: "end", as: "kept" });
  const answered = feed.answer(0);
  feed.restore(10);
  await answered;
  feed.last = 40;
  await feed.settle();
  expect(sequencesOf(store)).toEqual([37, 38, 39, 40]);
  expect(store.getState().refreshedAt).not.toBeNull();
  store.stop();
});

it("[REDACT-5] a text that was removed goes from the window, and no page that was read before brings it back", async () => {
  const feed = new FakeFeed(8);
  const store = new FeedStore({ source: feed, notifyIntervalMs: 0 });
  void store.open({ at: "end", as: "kept" });
  await feed.answer(0);
  expect(sequencesOf(store)).toEqual([5, 6, 7, 8]);
  void store.loadOlder();
  for (const [sequence, redacted_sequence] of [
    [9, 6],
    [10, 3],
  ] as const) {
    const content = { event: "message_redacted", by: "Ana", redacted_sequence, reason: null, at: null };
    feed.bring({ ...messageOf(sequence), type: "system", event: "message_redacted", content });
  }
  await feed.answer(0);
  const removed = store.getState().window.messages.filter(({ redaction }) => redaction);
  expect(removed.map(({ sequence, content, redaction }) => [sequence, content, redaction?.by])).toEqual([
    [3, { redacted: true }, "Ana"],
    [6, { redacted: true }, "Ana"],
  ]);
  store.stop();
});
