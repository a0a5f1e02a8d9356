import { expect, it } from "vitest";
import { createRandom, type Random } from "../../../../tests/faults/random.js";
import {
  advanceReader,
  createReaderState,
  findStart,
  type ReaderEffect,
  type ReaderEvent,
  type ReaderState,
} from "./reader-state.js";

interface Entry {
  readonly epoch: string;
  readonly sequence: number;
}

interface Reader {
  state: ReaderState;
  buffer: Entry[];
  isBusy: boolean;
  /** The last message that the listener was called with, or the start. Undefined while the listener is asked. */
  last: Entry | undefined;
  readonly asked: string[];
}

/**
 * Simulates up to three readers that share a subscription, with random steps. Checks every call of a listener:
 *
 * 1. It has the messages that follow the last delivered one, or the start: none is missing or repeated.
 * 2. They belong to the epoch of the start.
 * 3. The listener is not called while it is busy, and not between a restore and its answer.
 * 4. After a restore, the start is the listener's answer for the newest epoch.
 * 5. In the end, every reader has received everything, however slow the others are.
 */
class World {
  readonly #random: Random;
  readonly #steps: unknown[] = [];
  readonly #readers: Reader[] = [];
  #epoch = "0";
  #head: number;
  /** The cursor of the shared subscription. Undefined if there is none. */
  #sent: number | undefined;
  #restores = 0;

  constructor(random: Random, seed: number) {
    this.#random = random;
    this.#head = random.between(0, 9);
    this.#steps.push({ seed });
    this.#join();
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step += 1) this.#step();
    for (let round = 0; round < 100 && !this.#isComplete(); round += 1) {
      for (const reader of this.#readers) {
        this.#answer(reader);
        this.#finish(reader);
      }
      this.#send();
      this.#flush();
    }
    if (!this.#isComplete()) this.#fail(`not everything up to ${this.#head} came`);
  }

  #isComplete(): boolean {
    return this.#readers.every(({ state, asked, last }) => {
      return asked.length === 0 && (state.is === "hinted" || last?.sequence === this.#head);
    });
  }

  #step(): void {
    const chance = this.#random.between(1, 100);
    const reader = this.#readers[this.#random.between(0, this.#readers.length - 1)];
    if (chance <= 30) this.#head += 1;
    else if (chance <= 55) this.#send();
    else if (chance <= 68) this.#flush();
    else if (chance <= 82) this.#finish(reader);
    else if (chance <= 90) this.#answer(reader);
    else if (chance <= 93) this.#join();
    else if (chance <= 95) this.#leave(reader);
    else if (chance <= 97) this.#restore();
    else this.#cut();
  }

  #join(): void {
    if (this.#readers.length >= 3) return;
    const after = this.#random.next() < 0.2 ? null : this.#random.between(0, this.#head);
    this.#steps.push({ join: after });
    this.#readers.push({
      state: createReaderState(after),
      buffer: [],
      isBusy: false,
      last: after === null ? undefined : { epoch: this.#epoch, sequence: after },
      asked: [],
    });
    this.#subscribe();
  }

  #leave(reader: Reader | undefined): void {
    if (!reader || this.#readers.length === 1) return;
    this.#advance(reader, { type: "ended" });
    this.#readers.splice(this.#readers.indexOf(reader), 1);
    this.#subscribe();
  }

  /** Lets the subscription start where the readers need it. */
  #subscribe(): void {
    const start = findStart(this.#readers.map(({ state }) => state));
    if (start === null) this.#sent = undefined;
    else if (start === "anywhere") this.#sent ??= this.#head;
    else if (this.#sent === undefined || this.#sent > start) this.#sent = start;
  }

  /** Delivers some messages over the subscription. */
  #send(): void {
    for (let count = this.#random.between(1, 4); count > 0; count -= 1) {
      if (this.#sent === undefined || this.#sent >= this.#head) return;
      this.#sent += 1;
      const entry = { epoch: this.#epoch, sequence: this.#sent };
      const chars = this.#random.pick([100, 1_500_000]);
      for (const reader of this.#readers) {
        const { sequence } = entry;
        if (this.#advance(reader, { type: "received", sequence, chars }) === "buffer")
          reader.buffer.push(entry);
      }
      if (findStart(this.#readers.map(({ state }) => state)) === null) this.#sent = undefined;
    }
  }

  #flush(): void {
    for (const reader of this.#readers) this.#perform(reader, this.#advance(reader, { type: "flushed" }));
  }

  #finish(reader: Reader | undefined): void {
    if (!reader?.isBusy) return;
    reader.isBusy = false;
    this.#perform(reader, this.#advance(reader, { type: "handled" }));
  }

  /** The subscription ends with its connection, and starts again on the next one. */
  #cut(): void {
    this.#steps.push("cut");
    this.#sent = undefined;
    this.#subscribe();
  }

  /** Restores an earlier database, but not so often that a reader ends. */
  #restore(): void {
    if (this.#restores >= 3) return;
    this.#restores += 1;
    this.#epoch = `${Number(this.#epoch) + 1}`;
    this.#head = this.#random.between(0, this.#head);
    this.#steps.push({ restore: this.#head });
    this.#sent = undefined;
    for (const reader of this.#readers) {
      const effect = this.#advance(reader, { type: "restored", epoch: this.#epoch });
      if (effect === null) continue;
      if (effect !== "ask") this.#fail("the reader ended");
      reader.buffer = [];
      reader.last = undefined;
      reader.asked.push(this.#epoch);
    }
    this.#subscribe();
  }

  /** Lets the listener say where to continue, in the order in which it was asked. */
  #answer(reader: Reader | undefined): void {
    const epoch = reader?.asked.shift();
    if (!reader || epoch === undefined) return;
    const after = this.#random.between(0, this.#head);
    const effect = this.#advance(reader, { type: "continued", after, epoch });
    if ((effect === "subscribe") !== (epoch === this.#epoch))
      this.#fail(`the answer for ${epoch} led to ${effect}`);
    if (effect === "subscribe") reader.last = { epoch, sequence: after };
    this.#perform(reader, effect);
  }

  #perform(reader: Reader, effect: ReaderEffect | null): void {
    if (effect === "subscribe") this.#subscribe();
    if (effect !== "deliver") return;
    if (reader.isBusy) this.#fail("the listener is busy");
    if (reader.buffer.length === 0) this.#fail("there is nothing to deliver");
    reader.isBusy = true;
    for (const { epoch, sequence } of reader.buffer) {
      const { last } = reader;
      if (epoch !== last?.epoch || sequence !== last.sequence + 1) {
        this.#fail(`${epoch}:${sequence} follows ${last?.epoch}:${last?.sequence}`);
      }
      reader.last = { epoch, sequence };
    }
    reader.buffer = [];
  }

  #advance(reader: Reader, event: ReaderEvent): ReaderEffect | null {
    const { state, effect } = advanceReader(reader.state, event);
    reader.state = state;
    this.#steps.push(event, state);
    return effect;
  }

  #fail(problem: string): void {
    expect.fail(`${problem} (${JSON.stringify(this.#steps)})`);
  }
}

function walk(seeds: number): void {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = createRandom(seed);
    new World(random, seed).run(random.between(10, 80));
  }
}

it("[CLIENT-3] a random walk of slow readers, cuts and restores delivers each message after a reader's start once, in order", () => {
  walk(10_000);
});

it("[CLIENT-3] a million random walks of readers do", { tags: "long", timeout: 1_200_000 }, () => {
  walk(1_000_000);
});
