import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../../../../tests/faults/random.js";
import { advancePump, type PumpEffect, type PumpEvent, type PumpState } from "./pump.js";

const states = {
  waiting: { is: "waiting", cursor: 5 },
  reading: { is: "reading", cursor: 5 },
  pausing: { is: "pausing", cursor: 5 },
  stopped: { is: "stopped", cursor: 5 },
} satisfies Record<string, PumpState>;

const events = {
  "woken at 5": { type: "woken", head: 5, canSend: true },
  "woken at 8": { type: "woken", head: 8, canSend: true },
  "woken at 8, connection full": { type: "woken", head: 8, canSend: false },
  "read up to 7": { type: "read", upTo: 7 },
  "read failed": { type: "readFailed", isArchived: false },
  "read of an archived session failed": { type: "readFailed", isArchived: true },
  "retry due": { type: "retryDue" },
  stopped: { type: "stopped" },
} satisfies Record<string, PumpEvent>;

type Outcome = readonly [state: PumpState, effect?: PumpEffect];

/** How each event changes each state. An event that is not listed for a state changes nothing and has no effect. */
const outcomes: Record<keyof typeof states, Partial<Record<keyof typeof events, Outcome>>> = {
  waiting: {
    "woken at 8": [states.reading, "read"],
    stopped: [states.stopped],
  },
  reading: {
    "read up to 7": [{ is: "waiting", cursor: 7 }, "send"],
    "read failed": [states.pausing, "pause"],
    "read of an archived session failed": [states.waiting],
    stopped: [states.stopped],
  },
  pausing: {
    "retry due": [states.waiting],
    stopped: [states.stopped],
  },
  stopped: {},
};

for (const [name, state] of Object.entries(states) as [keyof typeof states, PumpState][]) {
  describe(`a pump that is ${name}`, () => {
    it.each(Object.entries(events))("%s", (event, input) => {
      const [next = state, effect = null] = outcomes[name][event as keyof typeof events] ?? [];
      expect(advancePump(state, input)).toEqual({ state: next, effect });
    });
  });
}

/**
 * Simulates a feed, the reads of one subscription and its connection with random steps. Checks what is sent:
 *
 * 1. It is the message for the reader that follows the last one or the start: none is missing or repeated.
 * 2. There is one read at a time, and it starts only while the connection accepts data.
 * 3. Nothing is sent after a stop.
 * 4. In the end, everything was sent, although reads fail and nobody posts.
 */
class World {
  readonly #random: Random;
  readonly #isInbox: boolean;
  readonly #steps: unknown[] = [];
  /** The last message that was sent, or the start. */
  #last: number;
  #state: PumpState;
  #head: number;
  #canSend = true;
  #isReading = false;
  #isRetryPlanned = false;
  #isStopped = false;

  constructor(random: Random, seed: number) {
    this.#random = random;
    this.#isInbox = random.next() < 0.5;
    this.#head = random.between(0, 20);
    this.#last = random.between(0, this.#head);
    this.#state = { is: "waiting", cursor: this.#last };
    this.#steps.push({ seed }, this.#state);
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step += 1) this.#step();
    if (this.#isStopped) return;
    this.#canSend = true;
    this.#wake();
    while (this.#isReading || this.#isRetryPlanned) {
      this.#finishRead(this.#random.pick(["ends", "fails"]));
      this.#retry();
    }
    if (this.#findNext(this.#last) <= this.#head) this.#fail(`nothing after ${this.#last} was sent`);
    if (this.#state.is !== "waiting") this.#fail("the pump does not wait in the end");
  }

  #step(): void {
    const chance = this.#random.between(1, 100);
    if (chance <= 30) {
      this.#head += this.#random.between(1, 3);
      this.#wake();
    } else if (chance <= 65) this.#finishRead(this.#random.pick(["ends", "ends", "fails", "is archived"]));
    else if (chance <= 75) this.#retry();
    else if (chance <= 85) {
      this.#canSend = true;
      this.#wake();
    } else if (chance <= 99) this.#canSend = false;
    else if (this.#random.next() < 0.3) this.#stop();
  }

  #wake(): void {
    if (this.#advance({ type: "woken", head: this.#head, canSend: this.#canSend }) !== "read") return;
    if (!this.#canSend || this.#isReading) this.#fail("a read started too early");
    this.#isReading = true;
  }

  /** Ends a read of up to four messages. Like `Channel`, the read covers messages that are for others. */
  #finishRead(how: "ends" | "fails" | "is archived"): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    if (how !== "ends") {
      this.#isRetryPlanned =
        this.#advance({ type: "readFailed", isArchived: how === "is archived" }) === "pause";
      return;
    }
    const { cursor } = this.#state;
    const page: number[] = [];
    for (let count = this.#random.between(1, 4); count > 0; count -= 1)
      page.push(this.#findNext(page.at(-1) ?? cursor));
    const found = page.filter((sequence) => sequence <= this.#head);
    const upTo = found.length < page.length ? this.#head : (page.at(-1) ?? cursor);
    if (this.#advance({ type: "read", upTo }) !== "send") return;
    if (this.#isStopped) this.#fail("something was sent after a stop");
    for (const sequence of found) {
      if (sequence !== this.#findNext(this.#last)) this.#fail(`${sequence} follows ${this.#last}`);
      this.#last = sequence;
    }
    this.#wake();
  }

  #retry(): void {
    if (!this.#isRetryPlanned) return;
    this.#isRetryPlanned = false;
    this.#advance({ type: "retryDue" });
    this.#wake();
  }

  #stop(): void {
    this.#isStopped = true;
    this.#advance({ type: "stopped" });
  }

  /** Returns the sequence of the next message for the reader. An inbox gets two of three messages. */
  #findNext(after: number): number {
    return this.#isInbox && (after + 1) % 3 === 0 ? after + 2 : after + 1;
  }

  #advance(event: PumpEvent): PumpEffect | null {
    const { state, effect } = advancePump(this.#state, event);
    this.#state = state;
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

it("[WS-3] a random walk of posts, failed reads and full connections sends each message once, in order", () => {
  walk(10_000);
});

it("[WS-3] a million random walks do", { tags: "long", timeout: 1_200_000 }, () => {
  walk(1_000_000);
});
