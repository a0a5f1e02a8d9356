import { expect, it } from "vitest";
import { createRandom, type Random } from "../../../../../tests/faults/random.js";
import {
  advance,
  type CursorEvent,
  type Cursors,
  createCursors,
  type StoredCursors,
  skipKnownEmpty,
} from "./cursors.js";

/** How a client confirms what it has read: by a cursor, by receipts, or not at all. */
type Habit = "cursor" | "receipts" | "silent";

/**
 * Simulates one peer, its client, the database and the network with random steps. Checks every reply:
 *
 * 1. A reply contains the peer's unread messages in order, without a gap.
 * 2. An acknowledged message is not delivered again.
 * 3. Calls without a cursor return a message without the `again` mark at most once, unless the broker was killed or the
 *    client moved its cursor back.
 * 4. Every acknowledged message was read by the client, or returned twice to a client that confirms nothing.
 * 5. In the end, the client has read every message that was not returned to it twice.
 */
class World {
  readonly #random: Random;
  readonly #habit: Habit;
  /** The sequences of the messages that are for the peer. */
  readonly #mail: number[] = [];
  #head = 0;
  #cursors: Cursors;
  /** The peer's row in the database. Saves only increase its values, and a completed save is never lost. */
  #row: StoredCursors = { acked: 0, offered: 0, returned: 0, repeated: 0 };
  /** A row that was read a while ago, with the cursors at that time. */
  #query: { readonly row: StoredCursors; readonly asOf: Cursors } | null = null;
  readonly #read = new Set<number>();
  readonly #unmarked = new Set<number>();
  readonly #broughtTimes = new Map<number, number>();
  #receipt = 0;
  #connection = 1;
  readonly #steps: string[] = [];

  constructor(random: Random, seed: number) {
    this.#random = random;
    this.#steps.push(`seed ${seed}`);
    this.#habit = random.pick(["cursor", "receipts", "silent"]);
    this.#cursors = createCursors(this.#row);
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step += 1) this.#step();
    this.#reconnect();
    for (let call = 0; call < 500 && this.#unread(this.#cursors.acked).length > 0; call += 1) {
      this.#callOnwards("read");
    }
    const lost = this.#mail.filter(
      (sequence) => !this.#read.has(sequence) && !this.#wasBroughtTwice(sequence),
    );
    this.#check(lost.length === 0, `lost ${lost}`);
  }

  #step(): void {
    const chance = this.#random.between(1, 100);
    if (chance <= 30) return this.#post();
    if (chance <= 60) return this.#callOnwards(this.#random.pick(["read", "read", "read", "lost", "cut"]));
    if (chance <= 70) return this.#callFrom(this.#random.pick(["read", "lost", "cut"]));
    if (chance <= 75) return this.#ack();
    if (chance <= 80) return this.#openInbox();
    if (chance <= 85) return this.#reconnect();
    if (chance <= 92) return this.#flush();
    if (chance <= 95) return this.#load();
    if (chance <= 98) return this.#kill();
    return this.#place();
  }

  #post(): void {
    this.#head += 1;
    if (this.#random.next() < 0.6) this.#mail.push(this.#head);
  }

  /** Simulates a wait without a cursor, or a check. */
  #callOnwards(fate: "read" | "lost" | "cut"): void {
    this.#note(`call ${fate}`);
    this.#advance({ type: "requested", connection: this.#connection });
    const receipt = this.#habit === "receipts" ? this.#receipt : undefined;
    const connection = this.#random.next() < 0.2 ? undefined : this.#connection;
    // If a save fails, the call fails too.
    if (!this.#advance({ type: "resumed", receipt, connection })) return;
    const { acked, returned: again } = this.#cursors;
    const page = this.#readPage(acked);
    for (const sequence of page) {
      const isMarked = sequence <= again;
      this.#check(isMarked || !this.#unmarked.has(sequence), `${sequence} came twice without a mark`);
    }
    const last = page.at(-1);
    if (last === undefined || fate === "cut") return;
    for (const sequence of page) {
      if (sequence > again) this.#unmarked.add(sequence);
      this.#broughtTimes.set(sequence, (this.#broughtTimes.get(sequence) ?? 0) + 1);
    }
    this.#advance({ type: "replied", upTo: last, again, connection });
    if (fate === "read") {
      this.#receive(page);
      this.#receipt = last;
    } else {
      this.#reconnect();
    }
  }

  /** Simulates a wait with the cursor up to which the client has read. */
  #callFrom(fate: "read" | "lost" | "cut"): void {
    const cursor = this.#lastRead();
    this.#note(`call from ${cursor} ${fate}`);
    this.#advance({ type: "acknowledged", cursor, skipped: this.#countSkipped(cursor), durable: false });
    const page = this.#readPage(cursor);
    const last = page.at(-1);
    if (last === undefined || fate === "cut") return;
    this.#advance({ type: "handedOut", upTo: last });
    if (fate === "read") this.#receive(page);
  }

  #ack(): void {
    const cursor = this.#lastRead();
    this.#note(`ack ${cursor}`);
    const isSaved = this.#advance({
      type: "acknowledged",
      cursor,
      skipped: this.#countSkipped(cursor),
      durable: true,
    });
    if (isSaved) this.#check(this.#row.acked >= this.#cursors.acked, "an acknowledgement was not saved");
  }

  /**
   * Sends everything unread to an inbox. The client reads some of the messages before the connection ends.
   */
  #openInbox(): void {
    this.#note("inbox");
    const page = this.#unread(skipKnownEmpty(this.#cursors, this.#cursors.acked));
    for (const sequence of page) this.#advance({ type: "handedOut", upTo: sequence });
    this.#receive(page.slice(0, this.#random.between(0, page.length)));
  }

  #reconnect(): void {
    this.#connection += 1;
  }

  #flush(): void {
    const { acked, placements } = this.#cursors;
    this.#save();
    this.#advance({ type: "saved", acked, placements });
  }

  /** Simulates a query for the peer's row, whose result is used now or later. */
  #load(): void {
    if (this.#query) this.#advance({ type: "loaded", ...this.#query });
    this.#query = this.#query ? null : { row: this.#row, asOf: this.#cursors };
  }

  #kill(): void {
    this.#note("kill");
    this.#cursors = createCursors(this.#row);
    this.#query = null;
    this.#reconnect();
    for (const sequence of this.#unmarked) if (sequence > this.#row.returned) this.#unmarked.delete(sequence);
  }

  /** Lets the client continue from an earlier message (`replay_from`) or from the end. */
  #place(): void {
    const cursor = this.#random.next() < 0.7 ? this.#random.between(0, this.#lastRead()) : this.#lastRead();
    this.#note(`place ${cursor}`);
    this.#row = { acked: cursor, offered: cursor, returned: cursor, repeated: cursor };
    this.#advance({ type: "placed", cursor });
    this.#receipt = 0;
    for (const sequence of this.#mail) {
      if (sequence <= cursor) continue;
      this.#unmarked.delete(sequence);
      this.#read.delete(sequence);
      this.#broughtTimes.delete(sequence);
    }
  }

  /** Reads a page of messages for the peer, and records the range that contains none. */
  #readPage(after: number): number[] {
    const start = skipKnownEmpty(this.#cursors, after);
    this.#check(
      this.#mail.every((each) => each <= after || each > start),
      `${start} skips mail after ${after}`,
    );
    const unread = this.#unread(start);
    const page = unread.slice(0, this.#random.between(1, 5));
    const covered = page.length === unread.length ? this.#head : (page.at(-1) ?? 0);
    if (page.length === 0) this.#advance({ type: "foundEmpty", after: start, upTo: this.#head });
    else this.#advance({ type: "foundEmpty", after: page.at(-1) ?? 0, upTo: covered });
    return page;
  }

  #unread(after: number): number[] {
    return this.#mail.filter((sequence) => sequence > after);
  }

  /**
   * Advances the cursors and carries out the effect. Returns false if the reply had to wait for a save that
   * failed.
   */
  #advance(event: CursorEvent): boolean {
    const before = this.#cursors;
    const { cursors, effect } = advance(before, event);
    this.#cursors = cursors;
    if (event.type !== "placed" && event.type !== "loaded") {
      this.#check(
        cursors.acked >= before.acked && cursors.offered >= before.offered,
        `${event.type} went back`,
      );
    }
    const newlyAcked = this.#mail.filter((each) => each > before.acked && each <= cursors.acked);
    this.#check(
      newlyAcked.every((each) => this.#read.has(each) || this.#wasBroughtTwice(each)),
      `${event.type} acknowledged ${newlyAcked}, which the client has not read`,
    );
    if (effect !== "save") return true;
    if (this.#random.next() < 0.1) return false;
    this.#flush();
    return true;
  }

  #save(): void {
    const { acked, offered, returned, repeated } = this.#cursors;
    this.#row = {
      acked: Math.max(this.#row.acked, acked),
      offered: Math.max(this.#row.offered, offered),
      returned: Math.max(this.#row.returned, returned),
      repeated: Math.max(this.#row.repeated, repeated),
    };
  }

  #receive(page: readonly number[]): void {
    for (const sequence of page) this.#read.add(sequence);
  }

  /** Returns the last message up to which the client has read everything. */
  #lastRead(): number {
    const missing = this.#mail.find(
      (sequence) => !this.#read.has(sequence) && sequence > this.#cursors.acked,
    );
    const read = this.#mail.filter((sequence) => missing === undefined || sequence < missing);
    return read.at(-1) ?? 0;
  }

  #countSkipped(cursor: number): number {
    return this.#mail.filter((sequence) => sequence > this.#cursors.offered && sequence <= cursor).length;
  }

  #wasBroughtTwice(sequence: number): boolean {
    return this.#habit !== "receipts" && (this.#broughtTimes.get(sequence) ?? 0) >= 2;
  }

  #note(step: string): void {
    this.#steps.push(step);
  }

  #check(isTrue: boolean, problem: string): void {
    if (!isTrue) expect.fail(`${problem} (${this.#habit}: ${this.#steps.join(", ")})`);
  }
}

function walk(seeds: number): void {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = createRandom(seed);
    new World(random, seed).run(random.between(10, 60));
  }
}

it("[DELIVER-2] a random walk of reads, losses and kills delivers in order, at least once, and unmarked at most once", () => {
  walk(10_000);
});

it("[DELIVER-2] a million random walks do", { tags: "long", timeout: 1_200_000 }, () => {
  walk(1_000_000);
});
