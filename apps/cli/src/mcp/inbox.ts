import { compactMessage, type Message } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import {
  type Arrival,
  advanceInbox,
  createInboxState,
  type Evidence,
  findAckCursor,
  findReceivedCursor,
  type InboxEvent,
  type InboxState,
  isQueued,
  isReceived,
  type Via,
} from "./inbox-state.js";
import type { PeerState } from "./peer-state.js";

/**
 * A peer's messages that its model has not received yet. Subscriptions and waits add messages; tools and
 * hooks take messages from the inbox.
 *
 * A message that was taken counts as offered until there is evidence that the model received it. Without
 * evidence, it is offered again (WAKE-4). {@link InboxState} has the states of a message.
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
  /** Whether messages have been offered but not acknowledged. The broker would return such messages again. */
  readonly isOffering: boolean;
  /** Drops all messages in the inbox and continues after a cursor. */
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

/** Returns whether a message still fits. Called once per message, in order, until it returns false. */
export type Fits = (message: Message) => boolean;

export interface Offer {
  readonly messages: readonly Message[];
  /** The sequences of messages that the model may have seen before. */
  readonly repeatedSequences: ReadonlySet<number>;
  readonly cursor: number;
  /**
   * Must be called once the offer has been delivered or lost. `isWritten` says whether all of it was written to
   * the client. If not, the messages return to the inbox.
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
  /** Returns whether the model received the message. */
  classify(message: Message): Arrival["earlier"];
}

export function createInbox(cursor: number, options: PeerInboxOptions = {}): Inbox {
  const { isRecorded = false, earlier, onOffer, messagesMax = 2_000, charsMax = 2 * 1024 * 1024 } = options;
  let state: InboxState = createInboxState(cursor, { isRecorded, messagesMax, charsMax });
  const listeners = new Set<() => void>();

  function advance(event: InboxEvent): void {
    const { state: next, effect } = advanceInbox(state, event);
    state = next;
    if (effect === "notify") for (const listener of [...listeners]) listener();
  }

  function toArrival(message: Message): Arrival {
    // Known messages are not classified, because that searches a transcript.
    const isEarlier = earlier && message.sequence <= earlier.upTo && message.sequence > state.known;
    return { message, earlier: isEarlier ? earlier.classify(message) : "lost" };
  }

  return {
    get ackCursor() {
      return findAckCursor(state);
    },
    get receivedCursor() {
      return findReceivedCursor(state);
    },
    get isUnrecorded() {
      return state.entries.some(isReceived);
    },
    get pending() {
      return state.entries.filter(isQueued).map(({ message }) => message);
    },
    get isDrained() {
      return !state.entries.some(isQueued) && state.pushed <= state.known;
    },
    get isFull() {
      return state.pushed > state.known;
    },
    get isOffering() {
      return state.entries.some((entry) => !isQueued(entry));
    },
    restart: (cursor) => advance({ type: "restarted", cursor }),
    reset: () => advance({ type: "reset" }),
    push: (message) => advance({ type: "pushed", arrival: toArrival(message) }),
    fill: (after, messages, upTo) =>
      advance({ type: "filled", after, arrivals: messages.map(toArrival), upTo }),
    offer(via, fits, isSkipped = () => false) {
      const queued = state.entries.filter(isQueued).filter(({ message }) => !isSkipped(message));
      const entries = takePage(queued, fits);
      const messages = entries.map(({ message }) => message);
      const cursor = messages.at(-1)?.sequence;
      if (cursor === undefined) return null;
      onOffer?.(cursor);
      advance({ type: "offered", sequences: messages.map(({ sequence }) => sequence), via });
      const { offers: offer } = state;
      const repeated = entries.filter(({ isRepeated }) => isRepeated);
      return {
        messages,
        repeatedSequences: new Set(repeated.map(({ message }) => message.sequence)),
        cursor,
        settle: (isWritten) => advance({ type: "settled", offer, isWritten }),
      };
    },
    peek(after, fits) {
      const unreceived = state.entries.filter(
        (entry) => !isReceived(entry) && entry.message.sequence > after,
      );
      return takePage(unreceived, fits).map(({ message }) => message);
    },
    prove: (evidence) => advance({ type: "proved", evidence }),
    record(isInRecord = () => true) {
      const recorded = state.entries.filter((entry) => isReceived(entry) && isInRecord(entry.message));
      advance({ type: "recorded", sequences: recorded.map(({ message }) => message.sequence) });
    },
    startOver: () => advance({ type: "conversationEnded" }),
    passUpTo: (cursor) => advance({ type: "passed", cursor }),
    listen(listener) {
      const callListener = () => listener();
      listeners.add(callListener);
      return () => void listeners.delete(callListener);
    },
  };
}

/** Returns the entries up to the first whose message does not fit. */
function takePage<Entry extends { readonly message: Message }>(
  entries: readonly Entry[],
  fits: Fits,
): readonly Entry[] {
  const beyond = entries.findIndex(({ message }) => !fits(message));
  return beyond === -1 ? entries : entries.slice(0, beyond);
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
