import { compactMessage, type Message, redactedBy, withoutText } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { PeerState } from "./peer-state.js";

/**
 * A peer's messages that its model has not received yet. Subscriptions and waits add messages; tools and
 * hooks take messages from the inbox.
 *
 * A message that was taken counts as offered until there is evidence that the model received it. Without
 * evidence, it is offered again (WAKE-4). The inbox does no I/O and reads no clock.
 */
export interface Inbox {
  /** The cursor to acknowledge: the client's record of the conversation contains every message up to it. */
  readonly place: number;
  /** The cursor up to which there is evidence that the model received every message. */
  readonly shown: number;
  /** Whether the model has received a message that is not yet in the client's record. */
  readonly isUnrecorded: boolean;
  /** The messages to offer, in order, including those to be offered again. */
  readonly pending: readonly Message[];
  /** True if no messages are pending, either in this inbox or, as far as this server knows, at the broker. */
  readonly isDrained: boolean;
  /** Whether the inbox is full, so that newly arrived messages must wait until pending messages are taken. */
  readonly isFull: boolean;
  /** Whether an offer is being written to the client. */
  readonly isHandingOut: boolean;
  /** Whether messages have been offered but not acknowledged. The broker would return such messages again. */
  readonly isOffering: boolean;
  /** Drops all messages in the inbox and continues after the cursor `place`. */
  restart(place: number): void;
  /** Drops all messages, because after a database restore their sequences refer to other messages. */
  forget(): void;
  /** Adds a message that a subscription pushed. */
  push(message: Message): void;
  /** Adds a page of messages that a wait returned: all messages after `after` up to `upTo`. */
  fill(after: number, messages: readonly Message[], upTo: number): void;
  /**
   * Takes the next messages that fit and are not skipped. Returns null if there is no such message or the
   * first one does not fit.
   */
  offer(via: Via, fits: Fits, isSkipped?: (message: Message) => boolean): Offer | null;
  /**
   * Returns the next messages after a sequence that fit, without taking them. For readers other than the peer
   * itself.
   */
  peek(after: number, fits: Fits): readonly Message[];
  /** Records evidence that the model did or did not receive offered messages. */
  prove(evidence: Evidence): void;
  /**
   * Marks the received messages that the client's record contains. By default, marks all received messages.
   */
  record(holds?: (message: Message) => boolean): void;
  /** Withdraws all offers without evidence, because the conversation in which they were made has ended. */
  startOver(): void;
  /** Skips all messages up to a cursor that was acknowledged by other means. */
  passUpTo(cursor: number): void;
  /** Calls the listener on every change. Returns an unsubscribe function. */
  listen(listener: () => void): () => void;
}

/**
 * How an offer reaches the model: in the result of the model's own tool call, or in the output of a hook at a
 * prompt.
 */
type Via = { readonly by: "call" } | { readonly by: "hook"; readonly prompt: string };

/**
 * Evidence of whether the model received an offer.
 *
 * A tool call proves that everything offered earlier was received, because the turn contains it. A hook
 * proves that offers made at its own prompt were received, and that offers made at any other prompt were
 * lost: interrupting a prompt discards the text that its hook added.
 */
type Evidence = { readonly by: "call" } | { readonly by: "hook"; readonly prompt: string };

/** Returns whether a message still fits. Called once per message, in order, until it returns false. */
export type Fits = (message: Message) => boolean;

export interface Offer {
  readonly messages: readonly Message[];
  /** The sequences of messages that the model may have seen before. */
  readonly again: ReadonlySet<number>;
  readonly cursor: number;
  /**
   * Must be called once the offer has been delivered or lost. `written` says whether the client received all
   * of it. If not, the messages return to the inbox.
   */
  settle(written: boolean): void;
}

export interface InboxOptions {
  /**
   * Whether the client keeps a record of the conversation that can be read. If not, evidence suffices to
   * acknowledge a message.
   */
  readonly isRecorded?: boolean;
  /** Classifies arriving messages that an earlier server may have delivered. */
  readonly earlier?: Earlier;
  /** Called before each offer with the sequence of its last message. */
  readonly onOffer?: (sequence: number) => void;
  /**
   * The maximum number of messages in the inbox. Further messages stay at the broker until a wait fetches
   * them.
   */
  readonly messagesMax?: number;
  readonly charsMax?: number;
}

/** Classifies the messages that an earlier server offered but never acknowledged. */
export interface Earlier {
  /** The sequence of the last message that the earlier server offered. */
  readonly upTo: number;
  /**
   * Returns whether the model received the message (`held`), may have received it (`perhaps`) or cannot have
   * received it (`lost`).
   */
  find(message: Message): "held" | "perhaps" | "lost";
}

interface InboxEntry {
  readonly message: Message;
  readonly chars: number;
  readonly again: boolean;
}

interface Offering {
  readonly via: Via;
  entries: readonly InboxEntry[];
  written: boolean;
}

export function createInbox(place: number, options: InboxOptions = {}): Inbox {
  const { isRecorded = false, earlier, onOffer, messagesMax = 2_000, charsMax = 2 * 1024 * 1024 } = options;
  let queue: InboxEntry[] = [];
  let queuedChars = 0;
  /**
   * The cursor up to which every message is queued, offered or received. Only later messages are added to the
   * queue.
   */
  let known = place;
  /**
   * The cursor up to which every message was received or skipped. If sequences are missing before the next
   * message, they are skipped together with that message.
   */
  let passed = place;
  /** The cursor up to which the subscription has pushed everything. */
  let pushed = 0;
  let offerings: Offering[] = [];
  /** The messages that the model received but that are not yet in the client's record. */
  let unrecorded: InboxEntry[] = [];
  const listeners = new Set<() => void>();

  function announce(): void {
    for (const listener of [...listeners]) listener();
  }

  /**
   * Removes the text of a redacted message, so that the message is offered, or offered again, only without
   * its text (REDACT-5).
   */
  function forgetText(event: Message): void {
    const redacted = redactedBy(event);
    if (!redacted) return;
    const forget = (entry: InboxEntry): InboxEntry => {
      if (entry.message.sequence !== redacted.sequence) return entry;
      const message = withoutText(entry.message, redacted.redaction);
      return { ...entry, message, chars: JSON.stringify(message).length };
    };
    replaceQueue(queue.map(forget));
    for (const offering of offerings) offering.entries = offering.entries.map(forget);
  }

  /** Adds a message to the queue. Returns false if the queue is full. */
  function enqueue(message: Message): boolean {
    if (message.sequence <= known) return true;
    const before = earlier && message.sequence <= earlier.upTo ? earlier.find(message) : "lost";
    if (before === "held") {
      known = message.sequence;
      pass(0);
      return true;
    }
    const chars = JSON.stringify(message).length;
    if (queue.length >= messagesMax || (queue.length > 0 && queuedChars + chars > charsMax)) return false;
    queue.push({ message, chars, again: before === "perhaps" });
    queuedChars += chars;
    known = message.sequence;
    return true;
  }

  function replaceQueue(entries: InboxEntry[]): void {
    queue = entries;
    queuedChars = entries.reduce((sum, { chars }) => sum + chars, 0);
  }

  function restart(cursor: number): void {
    replaceQueue([]);
    offerings = [];
    unrecorded = [];
    known = cursor;
    passed = cursor;
    announce();
  }

  function settle(offering: Offering, written: boolean): void {
    // The offer may have been withdrawn while it was being written.
    if (!offerings.includes(offering)) return;
    if (written) offering.written = true;
    else takeBack([offering], false);
    announce();
  }

  /**
   * Withdraws offers and puts their messages back into the queue.
   *
   * @param seen - whether the model may have seen the messages, which are then marked as repeated
   */
  function takeBack(given: readonly Offering[], seen: boolean): void {
    offerings = offerings.filter((each) => !given.includes(each));
    const entries = given.flatMap(({ entries, written }) =>
      seen && written ? entries.map((entry) => ({ ...entry, again: true })) : entries,
    );
    replaceQueue([...entries, ...queue].sort((a, b) => a.message.sequence - b.message.sequence));
  }

  function prove(evidence: Evidence): void {
    const lost = offerings.filter(({ via }) => isOtherPrompt(via, evidence));
    // Offers that are still being written to the client cannot have been received yet.
    const proved = offerings.filter((each) => each.written && !lost.includes(each));
    offerings = offerings.filter((each) => !proved.includes(each));
    unrecorded.push(...proved.flatMap(({ entries }) => entries));
    takeBack(lost, true);
    if (isRecorded) announce();
    else record();
  }

  function record(holds: (message: Message) => boolean = () => true): void {
    const recorded = unrecorded.filter(({ message }) => holds(message));
    unrecorded = unrecorded.filter((entry) => !recorded.includes(entry));
    pass(Math.max(0, ...recorded.map(({ message }) => message.sequence)));
    announce();
  }

  /** Returns the sequence before the first of these messages, or infinity if there are none. */
  function before(...lists: readonly (readonly InboxEntry[])[]): number {
    const firsts = lists.flatMap((entries) => entries.slice(0, 1));
    return Math.min(...firsts.map(({ message }) => message.sequence - 1), Number.POSITIVE_INFINITY);
  }

  /**
   * Advances the cursor of finished messages.
   *
   * @param cursor - the highest finished message; if no message is waiting, missing sequences after it count
   * as finished too
   */
  function pass(cursor: number): void {
    const isEmpty = queue.length === 0 && offerings.length === 0 && unrecorded.length === 0;
    passed = Math.max(passed, cursor, isEmpty ? known : 0);
  }

  return {
    get place() {
      return Math.min(passed, before(queue, unrecorded, ...offerings.map(({ entries }) => entries)));
    },
    get shown() {
      const got = unrecorded.at(-1)?.message.sequence ?? 0;
      return Math.min(Math.max(passed, got), before(queue, ...offerings.map(({ entries }) => entries)));
    },
    get isUnrecorded() {
      return unrecorded.length > 0;
    },
    get pending() {
      return queue.map(({ message }) => message);
    },
    get isDrained() {
      return queue.length === 0 && pushed <= known;
    },
    get isFull() {
      return pushed > known;
    },
    get isHandingOut() {
      return offerings.some(({ written }) => !written);
    },
    get isOffering() {
      return offerings.length > 0 || unrecorded.length > 0;
    },
    restart,
    forget() {
      pushed = 0;
      restart(0);
    },
    push(message) {
      forgetText(message);
      // False if an earlier message was dropped because the inbox was full. A wait will fetch both messages.
      const follows = pushed <= known;
      pushed = Math.max(pushed, message.sequence);
      if (follows && enqueue(message)) announce();
    },
    fill(after, messages, upTo) {
      for (const message of messages) forgetText(message);
      if (after > known) return;
      if (messages.every(enqueue)) known = Math.max(known, upTo);
      pass(0);
      announce();
    },
    offer(via, fits, isSkipped = () => false) {
      const offered = queue.filter(({ message }) => !isSkipped(message));
      const beyond = offered.findIndex(({ message }) => !fits(message));
      const entries = beyond === -1 ? offered : offered.slice(0, beyond);
      const last = entries.at(-1);
      if (!last) return null;
      onOffer?.(last.message.sequence);
      const taken = new Set(entries);
      replaceQueue(queue.filter((entry) => !taken.has(entry)));
      const offering: Offering = { via, entries, written: false };
      offerings.push(offering);
      return {
        messages: entries.map(({ message }) => message),
        again: new Set(entries.filter(({ again }) => again).map(({ message }) => message.sequence)),
        cursor: last.message.sequence,
        settle: (written) => settle(offering, written),
      };
    },
    peek(after, fits) {
      const all = [...offerings.flatMap(({ entries }) => entries), ...queue]
        .map(({ message }) => message)
        .filter(({ sequence }) => sequence > after)
        .sort((a, b) => a.sequence - b.sequence);
      const beyond = all.findIndex((message) => !fits(message));
      return beyond === -1 ? all : all.slice(0, beyond);
    },
    prove,
    record,
    startOver() {
      takeBack(offerings, true);
      // The conversation has ended together with its record, so all received messages count as recorded.
      record();
    },
    passUpTo(cursor) {
      const isLater = ({ message }: InboxEntry) => message.sequence > cursor;
      replaceQueue(queue.filter(isLater));
      for (const offering of offerings) offering.entries = offering.entries.filter(isLater);
      offerings = offerings.filter(({ entries }) => entries.length > 0);
      unrecorded = unrecorded.filter(isLater);
      known = Math.max(known, cursor);
      pass(cursor);
      announce();
    },
    listen(listener) {
      const entry = () => listener();
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
  };
}

function isOtherPrompt(via: Via, evidence: Evidence): boolean {
  return via.by === "hook" && evidence.by === "hook" && via.prompt !== evidence.prompt;
}

/** The notice that tells the model once that the session's database was restored (STDIO-12). */
const resyncNotice =
  "resync: the database was restored. Earlier message and version numbers are no longer valid; read the history and the document again.";

/** Returns the notices that a reply must contain for the model. */
export function writeNotices({ isRestored, warning }: PeerState["notices"]): string[] {
  return [...(isRestored ? [resyncNotice] : []), ...(warning === undefined ? [] : [warning])];
}

/**
 * Creates a function that checks whether another message fits on the page. The first message always fits
 * (WAIT-9).
 */
export function fitPage(view: "compact" | "json"): Fits {
  const max = view === "compact" ? limits.compactPageCharsMax : limits.pageBytesMax;
  let used = 0;
  let count = 0;
  return (message) => {
    used += view === "compact" ? compactMessage(message).length + 1 : JSON.stringify(message).length;
    count += 1;
    return count === 1 || (used <= max && count <= limits.pageMessagesMax);
  };
}
