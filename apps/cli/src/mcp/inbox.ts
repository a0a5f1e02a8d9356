import { compactMessage, findRedactedMessage, type Message, withoutText } from "@merkle/wire";
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
  readonly ackCursor: number;
  /** The cursor up to which there is evidence that the model received every message. */
  readonly receivedCursor: number;
  /** Whether the model has received a message that is not yet in the client's record. */
  readonly isUnrecorded: boolean;
  /** The messages to offer, in order, including those to be offered again. */
  readonly pending: readonly Message[];
  /** True if no messages are pending, either in this inbox or, as far as this server knows, at the broker. */
  readonly isDrained: boolean;
  /** Whether the inbox is full, so that newly arrived messages must wait until pending messages are taken. */
  readonly isFull: boolean;
  /** Whether an offer is being written to the client. */
  readonly isWriting: boolean;
  /** Whether messages have been offered but not acknowledged. The broker would return such messages again. */
  readonly isOffering: boolean;
  /** Drops all messages in the inbox and continues after the cursor `place`. */
  restart(cursor: number): void;
  /** Drops all messages, because after a database restore their sequences refer to other messages. */
  reset(): void;
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
  record(isInRecord?: (message: Message) => boolean): void;
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
  readonly repeatedSequences: ReadonlySet<number>;
  readonly cursor: number;
  /**
   * Must be called once the offer has been delivered or lost. `written` says whether the client received all
   * of it. If not, the messages return to the inbox.
   */
  settle(isWritten: boolean): void;
}

export interface PeerInboxOptions {
  /**
   * Whether the client keeps a record of the conversation that can be read. If not, evidence suffices to
   * acknowledge a message.
   */
  readonly isRecorded?: boolean;
  /** Classifies arriving messages that an earlier server may have delivered. */
  readonly earlier?: EarlierDelivery;
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
export interface EarlierDelivery {
  /** The sequence of the last message that the earlier server offered. */
  readonly upTo: number;
  /**
   * Returns whether the model received the message (`held`), may have received it (`perhaps`) or cannot have
   * received it (`lost`).
   */
  classify(message: Message): "held" | "perhaps" | "lost";
}

interface InboxEntry {
  readonly message: Message;
  readonly chars: number;
  readonly isRepeated: boolean;
}

interface PendingOffer {
  readonly via: Via;
  entries: readonly InboxEntry[];
  isWritten: boolean;
}

export function createInbox(cursor: number, options: PeerInboxOptions = {}): Inbox {
  const { isRecorded = false, earlier, onOffer, messagesMax = 2_000, charsMax = 2 * 1024 * 1024 } = options;
  let queue: InboxEntry[] = [];
  let queuedChars = 0;
  /**
   * The cursor up to which every message is queued, offered or received. Only later messages are added to the
   * queue.
   */
  let knownUpTo = cursor;
  /**
   * The cursor up to which every message was received or skipped. If sequences are missing before the next
   * message, they are skipped together with that message.
   */
  let passedUpTo = cursor;
  /** The cursor up to which the subscription has pushed everything. */
  let pushedUpTo = 0;
  let pendingOffers: PendingOffer[] = [];
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
  function redactText(event: Message): void {
    const redacted = findRedactedMessage(event);
    if (!redacted) return;
    const redact = (entry: InboxEntry): InboxEntry => {
      if (entry.message.sequence !== redacted.sequence) return entry;
      const message = withoutText(entry.message, redacted.redaction);
      return { ...entry, message, chars: JSON.stringify(message).length };
    };
    replaceQueue(queue.map(redact));
    for (const offering of pendingOffers) offering.entries = offering.entries.map(redact);
  }

  /** Adds a message to the queue. Returns false if the queue is full. */
  function enqueue(message: Message): boolean {
    if (message.sequence <= knownUpTo) return true;
    const classification = earlier && message.sequence <= earlier.upTo ? earlier.classify(message) : "lost";
    if (classification === "held") {
      knownUpTo = message.sequence;
      advance(0);
      return true;
    }
    const chars = JSON.stringify(message).length;
    if (queue.length >= messagesMax || (queue.length > 0 && queuedChars + chars > charsMax)) return false;
    queue.push({ message, chars, isRepeated: classification === "perhaps" });
    queuedChars += chars;
    knownUpTo = message.sequence;
    return true;
  }

  function replaceQueue(entries: InboxEntry[]): void {
    queue = entries;
    queuedChars = entries.reduce((sum, { chars }) => sum + chars, 0);
  }

  function restart(cursor: number): void {
    replaceQueue([]);
    pendingOffers = [];
    unrecorded = [];
    knownUpTo = cursor;
    passedUpTo = cursor;
    announce();
  }

  function settle(offer: PendingOffer, isWritten: boolean): void {
    // The offer may have been withdrawn while it was being written.
    if (!pendingOffers.includes(offer)) return;
    if (isWritten) offer.isWritten = true;
    else requeue([offer], false);
    announce();
  }

  /**
   * Withdraws offers and puts their messages back into the queue.
   *
   * @param wasSeen - whether the model may have seen the messages, which are then marked as repeated
   */
  function requeue(offers: readonly PendingOffer[], wasSeen: boolean): void {
    pendingOffers = pendingOffers.filter((each) => !offers.includes(each));
    const entries = offers.flatMap(({ entries, isWritten: written }) =>
      wasSeen && written ? entries.map((entry) => ({ ...entry, isRepeated: true })) : entries,
    );
    replaceQueue([...entries, ...queue].sort((a, b) => a.message.sequence - b.message.sequence));
  }

  function prove(evidence: Evidence): void {
    const lost = pendingOffers.filter(({ via }) => isOtherPrompt(via, evidence));
    // Offers that are still being written to the client cannot have been received yet.
    const proved = pendingOffers.filter((each) => each.isWritten && !lost.includes(each));
    pendingOffers = pendingOffers.filter((each) => !proved.includes(each));
    unrecorded.push(...proved.flatMap(({ entries }) => entries));
    requeue(lost, true);
    if (isRecorded) announce();
    else record();
  }

  function record(isInRecord: (message: Message) => boolean = () => true): void {
    const recorded = unrecorded.filter(({ message }) => isInRecord(message));
    unrecorded = unrecorded.filter((entry) => !recorded.includes(entry));
    advance(Math.max(0, ...recorded.map(({ message }) => message.sequence)));
    announce();
  }

  /** Returns the sequence before the first of these messages, or infinity if there are none. */
  function findSequenceBefore(...lists: readonly (readonly InboxEntry[])[]): number {
    const firsts = lists.flatMap((entries) => entries.slice(0, 1));
    return Math.min(...firsts.map(({ message }) => message.sequence - 1), Number.POSITIVE_INFINITY);
  }

  /**
   * Advances the cursor of finished messages.
   *
   * @param cursor - the highest finished message; if no message is waiting, missing sequences after it count
   * as finished too
   */
  function advance(cursor: number): void {
    const isEmpty = queue.length === 0 && pendingOffers.length === 0 && unrecorded.length === 0;
    passedUpTo = Math.max(passedUpTo, cursor, isEmpty ? knownUpTo : 0);
  }

  return {
    get ackCursor() {
      return Math.min(
        passedUpTo,
        findSequenceBefore(queue, unrecorded, ...pendingOffers.map(({ entries }) => entries)),
      );
    },
    get receivedCursor() {
      const lastReceived = unrecorded.at(-1)?.message.sequence ?? 0;
      return Math.min(
        Math.max(passedUpTo, lastReceived),
        findSequenceBefore(queue, ...pendingOffers.map(({ entries }) => entries)),
      );
    },
    get isUnrecorded() {
      return unrecorded.length > 0;
    },
    get pending() {
      return queue.map(({ message }) => message);
    },
    get isDrained() {
      return queue.length === 0 && pushedUpTo <= knownUpTo;
    },
    get isFull() {
      return pushedUpTo > knownUpTo;
    },
    get isWriting() {
      return pendingOffers.some(({ isWritten: written }) => !written);
    },
    get isOffering() {
      return pendingOffers.length > 0 || unrecorded.length > 0;
    },
    restart,
    reset() {
      pushedUpTo = 0;
      restart(0);
    },
    push(message) {
      redactText(message);
      // False if an earlier message was dropped because the inbox was full. A wait will fetch both messages.
      const isContiguous = pushedUpTo <= knownUpTo;
      pushedUpTo = Math.max(pushedUpTo, message.sequence);
      if (isContiguous && enqueue(message)) announce();
    },
    fill(after, messages, upTo) {
      for (const message of messages) redactText(message);
      if (after > knownUpTo) return;
      if (messages.every(enqueue)) knownUpTo = Math.max(knownUpTo, upTo);
      advance(0);
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
      const offering: PendingOffer = { via, entries, isWritten: false };
      pendingOffers.push(offering);
      return {
        messages: entries.map(({ message }) => message),
        repeatedSequences: new Set(
          entries.filter(({ isRepeated }) => isRepeated).map(({ message }) => message.sequence),
        ),
        cursor: last.message.sequence,
        settle: (written) => settle(offering, written),
      };
    },
    peek(after, fits) {
      const all = [...pendingOffers.flatMap(({ entries }) => entries), ...queue]
        .map(({ message }) => message)
        .filter(({ sequence }) => sequence > after)
        .sort((a, b) => a.sequence - b.sequence);
      const beyond = all.findIndex((message) => !fits(message));
      return beyond === -1 ? all : all.slice(0, beyond);
    },
    prove,
    record,
    startOver() {
      requeue(pendingOffers, true);
      // The conversation has ended together with its record, so all received messages count as recorded.
      record();
    },
    passUpTo(cursor) {
      const isLater = ({ message }: InboxEntry) => message.sequence > cursor;
      replaceQueue(queue.filter(isLater));
      for (const offering of pendingOffers) offering.entries = offering.entries.filter(isLater);
      pendingOffers = pendingOffers.filter(({ entries }) => entries.length > 0);
      unrecorded = unrecorded.filter(isLater);
      knownUpTo = Math.max(knownUpTo, cursor);
      advance(cursor);
      announce();
    },
    listen(listener) {
      const callListener = () => listener();
      listeners.add(callListener);
      return () => void listeners.delete(callListener);
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
export function formatNotices({ isRestored, warning }: PeerState["notices"]): string[] {
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
