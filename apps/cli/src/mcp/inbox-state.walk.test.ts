import type { Message } from "@merkle/wire";
import { expect, it } from "vitest";
import { createRandom, type Random } from "../../../../tests/faults/random.js";
import { createFeedEvent, createFeedMessage } from "../test-kit/feed-message.js";
import {
  type Arrival,
  advanceInbox,
  createInboxState,
  findAckCursor,
  findReceivedCursor,
  type InboxEvent,
  type InboxState,
  isQueued,
  isReceived,
  type QueuedEntry,
  type Via,
} from "./inbox-state.js";

/** An offer that is being written to the client. */
interface Writing {
  readonly offer: number;
  readonly via: Via;
  readonly conversation: number;
  readonly messages: readonly { readonly sequence: number; readonly isRepeated: boolean }[];
}

/**
 * Simulates a broker, an MCP server with the inbox of one peer, and its client with random steps. The broker pushes
 * messages and answers waits late. The user interrupts prompts and begins conversations. Answers are lost, and server
 * and client are killed. Checks after every step:
 *
 * 1. The model gets each message at most once without a mark, per conversation. A message is marked only if it was
 *    written to the client before, or if an earlier server may have written it.
 * 2. Messages are offered in order. Only one that was offered before, or set aside, comes after a later one.
 * 3. What counts as received is in the model's conversation, and stays there.
 * 4. The cursor to acknowledge never passes a message that the model could still lose, and goes back only after a kill,
 *    a replay or a restore.
 * 5. Nothing is offered with its text after its redaction has arrived.
 * 6. In the end, the model has received every message, and all are acknowledged.
 */
class World {
  readonly #random: Random;
  readonly #steps: unknown[] = [];
  readonly #isRecorded: boolean;
  readonly #messagesMax: number;

  // The broker. Two of three messages are for the peer.
  #feed: Message[] = [];
  #acked = 0;
  #pushedUpTo = 0;
  /** The ranges that waits cover which are not answered yet. */
  #waits: { readonly after: number; readonly upTo: number }[] = [];

  // The server.
  #state: InboxState;
  #earlier:
    | { readonly upTo: number; readonly classify: (sequence: number) => Arrival["earlier"] }
    | undefined;
  #offered = new Set<number>();
  #written = new Set<number>();
  #aside = new Set<number>();
  /** The last offered message, which the server notes for the next one. */
  #offeredUpTo = 0;
  #writing: Writing[] = [];
  #redacted = new Set<number>();

  // The client.
  #prompt = 0;
  #conversation = 0;
  #contained = new Set<number>();
  /** The messages in the text of the last hook, which the client drops if the user interrupts the prompt. */
  #fragile = new Set<number>();
  #record = new Set<number>();
  /** The messages that were shown in this conversation, whether or not they are still in it. */
  #shown = new Set<number>();
  /** The messages that cannot be lost any more: those of ended conversations, and those acknowledged by the model. */
  #safe = new Set<number>();

  constructor(random: Random, seed: number) {
    this.#random = random;
    this.#isRecorded = random.next() < 0.7;
    this.#messagesMax = random.pick([1, 3, 100]);
    this.#steps.push({ seed, isRecorded: this.#isRecorded, messagesMax: this.#messagesMax });
    this.#state = this.#startInbox(0);
  }

  run(steps: number): void {
    for (let step = 0; step < steps; step += 1) {
      this.#step();
      this.#check();
    }
    for (let round = 0; round < 200 && !this.#isComplete(); round += 1) this.#drain();
    if (!this.#isComplete()) this.#fail("not every message was received and acknowledged");
  }

  get #head(): number {
    return this.#feed.length;
  }

  #isComplete(): boolean {
    return findAckCursor(this.#state) === this.#head && this.#listMail(0).every((each) => this.#isSafe(each));
  }

  #drain(): void {
    for (const each of [...this.#writing]) this.#settle(each, true);
    this.#hook();
    this.#catchUp(1);
    this.#wait();
    this.#answer();
    this.#check();
    this.#offer({ by: "call" }, 100);
    this.#check();
  }

  #step(): void {
    const chance = this.#random.between(1, 100);
    if (chance <= 20) this.#post();
    else if (chance <= 34) this.#push();
    else if (chance <= 40) this.#wait();
    else if (chance <= 46) this.#answer();
    else if (chance <= 55) this.#call();
    else if (chance <= 64) this.#hook();
    else if (chance <= 69) this.#enterPrompt();
    else if (chance <= 84) this.#settleAny();
    else if (chance <= 90) this.#catchUp(0.6);
    else if (chance <= 93) this.#acked = Math.max(this.#acked, findAckCursor(this.#state));
    else if (chance <= 94) this.#beginConversation();
    else if (chance <= 96) this.#killServer();
    else if (chance <= 97) this.#killClient();
    else if (chance <= 98) this.#pass();
    else if (chance <= 99) this.#replay();
    else this.#restore();
  }

  // What the broker does.

  #post(): void {
    const redacted = this.#feed[this.#random.between(0, this.#head - 1)];
    if (!redacted || redacted.event || this.#random.next() < 0.9) {
      this.#feed.push(createFeedMessage(this.#head + 1));
      return;
    }
    const { sequence } = redacted;
    this.#feed[sequence - 1] = { ...redacted, content: { redacted: true } };
    const content = { event: "message_redacted", redacted_sequence: sequence };
    this.#feed.push(createFeedEvent(this.#head + 1, "message_redacted", { content }));
  }

  #push(): void {
    const next = this.#listMail(this.#pushedUpTo)[0];
    if (next === undefined) return;
    this.#pushedUpTo = next;
    this.#advance({ type: "pushed", arrival: this.#arrive(next) });
  }

  /** Begins a wait, whose answer may come late. */
  #wait(): void {
    const after = findAckCursor(this.#state);
    this.#waits.push({ after, upTo: Math.min(this.#head, after + this.#random.between(1, 6)) });
  }

  #answer(): void {
    const wait = this.#waits.shift();
    if (!wait) return;
    const page = this.#listMail(wait.after).filter((sequence) => sequence <= wait.upTo);
    this.#advance({ type: "filled", ...wait, arrivals: page.map((sequence) => this.#arrive(sequence)) });
  }

  #listMail(after: number): number[] {
    return this.#feed.map(({ sequence }) => sequence).filter((each) => each > after && isForPeer(each));
  }

  #arrive(sequence: number): Arrival {
    const message = this.#feed[sequence - 1];
    if (!message) throw new Error(`There is no message ${sequence}.`);
    return { message, earlier: this.#classify(sequence) };
  }

  #classify(sequence: number): Arrival["earlier"] {
    const earlier = this.#earlier;
    return earlier && sequence <= earlier.upTo ? earlier.classify(sequence) : "lost";
  }

  // What the client and its user do.

  #call(): void {
    this.#keep();
    this.#advance({ type: "proved", evidence: { by: "call" } });
    this.#offer({ by: "call" }, this.#random.between(0, 4));
  }

  #hook(): void {
    this.#keep();
    this.#runHook();
  }

  /** Enters a prompt, which interrupts the last one unless a hook has ended its turn. */
  #enterPrompt(): void {
    this.#fragile.clear();
    this.#prompt += 1;
    this.#runHook();
  }

  #runHook(): void {
    const prompt = `${this.#prompt}`;
    this.#advance({ type: "proved", evidence: { by: "hook", prompt } });
    this.#offer({ by: "hook", prompt }, this.#random.between(0, 4));
  }

  #keep(): void {
    for (const sequence of this.#fragile) this.#contained.add(sequence);
    this.#fragile.clear();
  }

  /** Offers some messages. The first may be set aside. */
  #offer(via: Via, max: number): void {
    const all = this.#state.entries.filter(isQueued);
    const isAside = this.#random.next() < 0.1;
    if (isAside && all[0]) this.#aside.add(all[0].message.sequence);
    const entries = all.slice(isAside ? 1 : 0, max);
    const last = entries.at(-1);
    if (!last) return;
    for (const entry of entries) this.#checkOffered(entry);
    this.#offeredUpTo = Math.max(this.#offeredUpTo, last.message.sequence);
    const messages = entries.map(({ message, isRepeated }) => ({ sequence: message.sequence, isRepeated }));
    this.#advance({ type: "offered", sequences: messages.map(({ sequence }) => sequence), via });
    this.#writing.push({ offer: this.#state.offers, via, conversation: this.#conversation, messages });
  }

  #checkOffered({ message: { sequence, content }, isRepeated }: QueuedEntry): void {
    const mayBeRepeated = this.#written.has(sequence) || this.#classify(sequence) === "perhaps";
    if (isRepeated && !mayBeRepeated) this.#fail(`${sequence} is marked`);
    if (this.#redacted.has(sequence) && !content["redacted"])
      this.#fail(`${sequence} is offered with its text`);
    const isFirst = !this.#offered.has(sequence) && !this.#aside.has(sequence);
    if (isFirst && sequence < Math.max(...this.#offered))
      this.#fail(`${sequence} comes after a later message`);
    this.#offered.add(sequence);
  }

  #settleAny(): void {
    const each = this.#writing[this.#random.between(0, this.#writing.length - 1)];
    if (each) this.#settle(each, this.#random.next() < 0.8);
  }

  #settle(writing: Writing, isWritten: boolean): void {
    const { offer } = writing;
    this.#writing = this.#writing.filter((each) => each !== writing);
    if (isWritten) this.#show(writing);
    if (isWritten) for (const { sequence } of writing.messages) this.#written.add(sequence);
    this.#advance({ type: "settled", offer, isWritten });
  }

  /** Shows an offer to the model, unless its prompt was interrupted or its conversation has ended. */
  #show({ via, conversation, messages }: Writing): void {
    if (conversation !== this.#conversation) return;
    if (via.by === "hook" && via.prompt !== `${this.#prompt}`) return;
    for (const { sequence, isRepeated } of messages) {
      if (this.#shown.has(sequence) && !isRepeated) this.#fail(`${sequence} is shown again without a mark`);
      this.#shown.add(sequence);
      (via.by === "hook" ? this.#fragile : this.#contained).add(sequence);
    }
  }

  /** The client records a part of the conversation, and the server reads the record. */
  #catchUp(share: number): void {
    if (!this.#isRecorded) return;
    for (const sequence of this.#contained) if (this.#random.next() < share) this.#record.add(sequence);
    const received = this.#state.entries.filter(isReceived).map(({ message }) => message.sequence);
    const sequences = received.filter((sequence) => this.#record.has(sequence));
    this.#advance({ type: "recorded", sequences });
  }

  #beginConversation(): void {
    for (const { message } of this.#state.entries.filter(isReceived)) this.#safe.add(message.sequence);
    this.#endConversation();
    this.#conversation += 1;
    this.#record.clear();
    this.#advance({ type: "conversationEnded" });
  }

  /** The conversation continues, if at all, with what was recorded. Without a record, evidence has to suffice. */
  #endConversation(): void {
    for (const sequence of this.#isRecorded ? this.#record : this.#contained) this.#safe.add(sequence);
    this.#prompt += 1;
    this.#contained.clear();
    this.#fragile.clear();
  }

  // What goes wrong, and what happens elsewhere.

  /** The client starts another server, which does not know what of the earlier offers arrived. */
  #killServer(): void {
    this.#steps.push("the server is killed");
    this.#startServer("perhaps");
  }

  /** The client's next process resumes the conversation from its record. */
  #killClient(): void {
    this.#steps.push("the client is killed");
    this.#endConversation();
    this.#contained = new Set(this.#record);
    this.#shown = new Set(this.#record);
    this.#startServer(this.#isRecorded ? "lost" : "perhaps");
  }

  /** Starts a server that finds recorded messages in the record, and `other` messages not. */
  #startServer(other: Arrival["earlier"]): void {
    const record = new Set(this.#record);
    this.#dropOffers();
    this.#earlier = { upTo: this.#offeredUpTo, classify: (each) => (record.has(each) ? "held" : other) };
    this.#state = this.#startInbox(this.#acked);
    this.#pushedUpTo = this.#acked;
  }

  #startInbox(cursor: number): InboxState {
    return createInboxState(cursor, {
      isRecorded: this.#isRecorded,
      messagesMax: this.#messagesMax,
      charsMax: 1_000_000,
    });
  }

  /** The model acknowledges a cursor by itself. */
  #pass(): void {
    const cursor = this.#random.between(0, this.#head);
    for (const sequence of this.#listMail(0)) if (sequence <= cursor) this.#safe.add(sequence);
    this.#advance({ type: "passed", cursor });
  }

  #replay(): void {
    const cursor = this.#random.between(0, this.#acked);
    this.#begin(cursor);
    this.#advance({ type: "restarted", cursor });
  }

  #restore(): void {
    this.#feed = [];
    this.#redacted.clear();
    this.#begin(0);
    this.#advance({ type: "reset" });
  }

  /** The model gets everything after the cursor as if for the first time. */
  #begin(cursor: number): void {
    this.#acked = cursor;
    this.#pushedUpTo = cursor;
    this.#offeredUpTo = Math.min(this.#offeredUpTo, cursor);
    this.#earlier = undefined;
    this.#dropOffers();
    for (const set of [this.#contained, this.#fragile, this.#record, this.#shown, this.#safe])
      for (const sequence of set) if (sequence > cursor) set.delete(sequence);
  }

  #dropOffers(): void {
    this.#writing = [];
    this.#waits = [];
    this.#offered.clear();
    this.#written.clear();
    this.#aside.clear();
  }

  #advance(event: InboxEvent): void {
    const before = findAckCursor(this.#state);
    this.#state = advanceInbox(this.#state, event).state;
    this.#steps.push(event, this.#state);
    const isBack = event.type === "restarted" || event.type === "reset";
    if (!isBack && findAckCursor(this.#state) < before) this.#fail("the cursor to acknowledge went back");
    const arrivals =
      event.type === "filled" ? event.arrivals : event.type === "pushed" ? [event.arrival] : [];
    for (const { message } of arrivals) {
      const { redacted_sequence: redacted } = message.content;
      if (typeof redacted === "number") this.#redacted.add(redacted);
    }
  }

  #isSafe(sequence: number): boolean {
    const isKept = this.#isRecorded ? this.#record.has(sequence) : this.#contained.has(sequence);
    return isKept || this.#safe.has(sequence);
  }

  #check(): void {
    for (const [index, entry] of this.#state.entries.entries()) {
      const { sequence } = entry.message;
      if (sequence <= (this.#state.entries[index - 1]?.message.sequence ?? 0))
        this.#fail("the order is lost");
      if (isReceived(entry) && !this.#contained.has(sequence)) this.#fail(`${sequence} was not received`);
    }
    const [acked, received] = [findAckCursor(this.#state), findReceivedCursor(this.#state)];
    if (received < acked) this.#fail("more is acknowledged than received");
    for (const sequence of this.#listMail(0)) {
      if (sequence <= acked && !this.#isSafe(sequence)) this.#fail(`${sequence} is acknowledged too early`);
      const isReceived = this.#contained.has(sequence) || this.#isSafe(sequence);
      if (sequence <= received && !isReceived) this.#fail(`${sequence} counts as received`);
    }
  }

  #fail(problem: string): void {
    expect.fail(`${problem} (${JSON.stringify(this.#steps)})`);
  }
}

function isForPeer(sequence: number): boolean {
  return sequence % 3 !== 0;
}

function walk(seeds: number): void {
  for (let seed = 1; seed <= seeds; seed += 1) {
    const random = createRandom(seed);
    new World(random, seed).run(random.between(10, 80));
  }
}

it("[STDIO-5] [WAKE-4] on random walks of lost answers, interruptions and kills the model gets each message, once without a mark", () => {
  walk(5_000);
});

it("[STDIO-5] [WAKE-4] on a million random walks it does", { tags: "long", timeout: 1_200_000 }, () => {
  walk(1_000_000);
});
