import { expect, it } from "vitest";
import { createRandom, type Random } from "../../../../tests/faults/random.js";
import type { Message } from "../feed/message.js";
import type { SubscriptionKind } from "../transports/frames.js";
import {
  advanceSubscription,
  createSubscriptionState,
  type Position,
  type SubscriptionEffect,
  type SubscriptionEvent,
  type SubscriptionState,
} from "./subscription-state.js";

type Frame = Extract<SubscriptionEvent, { type: "confirmed" | "postponed" | "outdated" | "received" }>;
type Request = Extract<SubscriptionEffect, { do: "subscribe" | "unsubscribe" }>;

/**
 * Simulates a subscription, its connections and the broker with random steps. Checks every delivered message:
 *
 * 1. It belongs to the epoch in which the subscription last started or resynced.
 * 2. It is the message for the reader that follows the last delivered one, or the start: none is missing or repeated.
 * 3. The start is the cursor of the caller or, if there is none, the one that the broker confirmed.
 * 4. After a resync, the start is the listener's answer or, for an inbox, what the broker has acknowledged.
 * 5. In the end, everything posted after the start has been delivered.
 */
class World {
  readonly #random: Random;
  readonly #kind: SubscriptionKind;
  readonly #steps: unknown[] = [];
  #state: SubscriptionState;
  /** The last delivered message, or the start. Undefined while the broker has to choose. */
  #last: { readonly epoch: string; readonly sequence: number } | undefined;
  #epoch = "0";
  #head: number;
  #acked = 0;
  #isConnected = false;
  #requests: Request[] = [];
  #frames: Frame[] = [];
  /** The cursor of the broker's subscription. */
  #sent: number | undefined;
  #isRetryPlanned = false;
  #asked: string[] = [];
  #gaps = 0;
  #restores = 0;

  constructor(random: Random, seed: number) {
    this.#random = random;
    this.#kind = random.pick(["follow", "inbox"]);
    this.#head = random.between(0, 9);
    this.#steps.push({ seed, kind: this.#kind });
    const startsAtCursor = this.#kind === "follow" && random.next() < 0.7;
    const after = startsAtCursor ? random.between(0, this.#head) : undefined;
    if (after !== undefined) this.#last = { epoch: this.#epoch, sequence: after };
    this.#state = createSubscriptionState(this.#kind, { after, epoch: this.#epoch });
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step += 1) this.#step();
    this.#cut();
    this.#connect();
    for (let round = 0; round < 200 && !this.#isComplete(); round += 1) this.#work();
    if (!this.#isComplete()) this.#fail(`not everything up to ${this.#head} was delivered`);
  }

  #isComplete(): boolean {
    const isLive = this.#state.is === "live" && this.#last?.epoch === this.#epoch;
    return isLive && this.#findNext(this.#last?.sequence ?? 0) === undefined;
  }

  #step(): void {
    const chance = this.#random.between(1, 100);
    if (chance <= 25) this.#head += 1;
    else if (chance <= 70) this.#work();
    else if (chance <= 78) this.#connect();
    else if (chance <= 86) this.#cut();
    else if (chance <= 90) this.#misbehave();
    else if (chance <= 95) this.#acknowledge();
    else if (chance <= 97) this.#restore();
    else this.#repeat();
  }

  /** Lets the broker, the network or the listener do the next thing. */
  #work(): void {
    const frame = this.#frames.shift();
    const request = frame ? undefined : this.#requests.shift();
    if (frame) this.#advance(frame);
    else if (request) this.#answer(request);
    else if (this.#asked.length > 0) this.#continue();
    else if (this.#isRetryPlanned) this.#retry();
    else this.#send();
  }

  #connect(): void {
    if (this.#isConnected) return;
    this.#isConnected = true;
    this.#advance({ type: "attached", epoch: this.#epoch });
  }

  #cut(): void {
    this.#isConnected = false;
    this.#requests = [];
    this.#frames = [];
    this.#sent = undefined;
    this.#advance({ type: "detached" });
  }

  #answer(request: Request): void {
    this.#sent = undefined;
    if (request.do === "unsubscribe") return;
    const { start } = request;
    if (this.#random.next() < 0.2) this.#frames.push({ type: "postponed", pauseMs: 0 });
    else if (start && start.epoch !== this.#epoch) {
      this.#frames.push({ type: "outdated", epoch: this.#epoch });
    } else this.#confirm(start);
  }

  #confirm(start: Position | null): void {
    const after = start?.cursor ?? (this.#kind === "inbox" ? this.#acked : this.#head);
    this.#frames.push({ type: "confirmed", sessionId: "session", after, epoch: this.#epoch });
    this.#sent = after;
  }

  /** Sends the next message over the subscription. */
  #send(): void {
    const next = this.#sent === undefined ? undefined : this.#findNext(this.#sent);
    if (next === undefined) return;
    this.#sent = next;
    this.#push(next);
  }

  /** Skips a message of a follow, but not so often that the subscription ends. */
  #misbehave(): void {
    if (this.#kind === "inbox" || this.#sent === undefined || this.#gaps >= 3) return;
    if (this.#frames.length > 0 || this.#state.is !== "live" || this.#sent + 2 > this.#head) return;
    this.#gaps += 1;
    this.#sent += 2;
    this.#push(this.#sent);
  }

  #repeat(): void {
    if (this.#sent !== undefined && this.#sent > 0) this.#push(this.#random.between(1, this.#sent));
  }

  #push(sequence: number): void {
    this.#frames.push({ type: "received", message: { sequence, id: this.#epoch } as Message });
  }

  #acknowledge(): void {
    if (this.#last?.epoch === this.#epoch) this.#acked = Math.max(this.#acked, this.#last.sequence);
  }

  /** Restores an earlier database. Mostly the broker restarts, which ends the connection. */
  #restore(): void {
    if (this.#restores >= 3) return;
    this.#restores += 1;
    this.#head = this.#random.between(0, this.#head);
    this.#acked = Math.min(this.#acked, this.#head);
    this.#epoch = `${Number(this.#epoch) + 1}`;
    this.#steps.push({ restore: this.#epoch, head: this.#head });
    this.#sent = undefined;
    if (this.#random.next() < 0.8) this.#cut();
  }

  #retry(): void {
    this.#isRetryPlanned = false;
    this.#advance({ type: "retryDue" });
  }

  #continue(): void {
    const epoch = this.#asked.shift() ?? "";
    const after = this.#random.between(0, this.#head);
    const before = this.#state;
    this.#advance({ type: "continued", after, epoch });
    if (this.#state !== before && this.#kind === "follow") this.#last = { epoch, sequence: after };
  }

  #advance(event: SubscriptionEvent): void {
    const { state, effects } = advanceSubscription(this.#state, event);
    this.#state = state;
    this.#steps.push(event, state);
    for (const effect of effects) this.#perform(effect);
    if (event.type === "confirmed" && state.is === "live") {
      if (event.epoch === this.#epoch) this.#restores = 0;
      this.#last ??= { epoch: event.epoch, sequence: event.after };
    }
  }

  #perform(effect: SubscriptionEffect): void {
    switch (effect.do) {
      case "subscribe":
      case "unsubscribe":
        if (!this.#isConnected) this.#fail("a request was sent without a connection");
        this.#requests.push(effect);
        return;
      case "retry":
        this.#isRetryPlanned = true;
        return;
      case "ask":
        this.#last = undefined;
        this.#asked.push(effect.epoch);
        return;
      case "deliver":
        return this.#deliver(effect.message);
      case "report ready":
        return;
      case "report closed":
      case "report failure":
        return this.#fail("the subscription ended");
    }
  }

  #deliver({ sequence, id: epoch }: Message): void {
    this.#gaps = 0;
    const last = this.#last;
    if (epoch !== last?.epoch || sequence !== this.#findNext(last.sequence, sequence)) {
      this.#fail(`${epoch}:${sequence} follows ${last?.epoch}:${last?.sequence}`);
    }
    this.#last = { epoch, sequence };
  }

  /** Returns the next message for the reader, if there is one. An inbox gets two of three messages. */
  #findNext(after: number, upTo = this.#head): number | undefined {
    for (let sequence = after + 1; sequence <= upTo; sequence += 1) {
      if (this.#kind === "follow" || sequence % 3 !== 0) return sequence;
    }
    return undefined;
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

it("[CLIENT-3] a random walk of cuts, gaps and restores delivers each message after the start once, in order", () => {
  walk(10_000);
});

it("[CLIENT-3] a million random walks do", { tags: "long", timeout: 1_200_000 }, () => {
  walk(1_000_000);
});
