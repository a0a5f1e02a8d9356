import { compactMessage, type Message, redactedBy, withoutText } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";

/**
 * The messages for one peer that its model has not got yet. Pushes of a subscription and replies of waits fill the inbox; tools
 * and hooks take from it. A message that was taken is only offered until evidence shows that the model got it, and is offered
 * again if it did not (WAKE-4). The inbox does no I/O and has no clock.
 */
export interface Inbox {
  /** The cursor up to which the model has recorded everything for it. This cursor is acknowledged. */
  readonly place: number;
  /** The cursor up to which evidence shows that the model got everything. */
  readonly shown: number;
  /** Whether evidence shows that the model got a message that no record shows yet. */
  readonly isUnrecorded: boolean;
  /** The messages to offer, for the first time or again, in order. */
  readonly pending: readonly Message[];
  /** Whether nothing is pending here or, as far as this server knows, at the broker. */
  readonly isDrained: boolean;
  /** Whether messages came that have no room until pending ones are taken. */
  readonly isFull: boolean;
  /** Whether an offer is on its way to the client. */
  readonly isHandingOut: boolean;
  /** Whether messages were handed out but not acknowledged yet: the broker would hand them out again. */
  readonly isOffering: boolean;
  /** Continues after this cursor, and drops the messages in the inbox. */
  restart(place: number): void;
  /** Drops everything: in a restored database the sequence numbers mean other messages. */
  forget(): void;
  /** Adds a message that a subscription pushed. */
  push(message: Message): void;
  /** Adds the page of a wait from `after`, which reaches up to `upTo`. */
  fill(after: number, messages: readonly Message[], upTo: number): void;
  /** Takes the next messages that fit and are not `skipped`; null if there is none, or the first does not fit. */
  offer(via: Via, fits: Fits, isSkipped?: (message: Message) => boolean): Offer | null;
  /** The next messages after a sequence that fit, without taking them: for a reader other than the peer. */
  peek(after: number, fits: Fits): readonly Message[];
  /** Notes evidence of what the model got. */
  prove(evidence: Evidence): void;
  /** Notes which of the messages with evidence the client's record contains. Default: all. */
  record(holds?: (message: Message) => boolean): void;
  /** Takes back all offers without evidence, because their conversation is gone. */
  startOver(): void;
  /** Skips everything up to a cursor that was acknowledged in another way. */
  passUpTo(cursor: number): void;
  /** Calls the listener at every change. Returns how to stop. */
  listen(listener: () => void): () => void;
}

/** How an offer reaches the model: as the result of its own call, or of a hook at a prompt. */
type Via = { readonly by: "call" } | { readonly by: "hook"; readonly prompt: string };

/**
 * Evidence that the model got an offer. A tool call proves it, since the call's turn has everything that was offered before. A
 * hook proves it for its own prompt, and the opposite for another prompt: an interrupted prompt loses what its hook had added.
 */
type Evidence = { readonly by: "call" } | { readonly by: "hook"; readonly prompt: string };

/** Called once for each message, in order, until one does not fit. */
export type Fits = (message: Message) => boolean;

export interface Offer {
  readonly messages: readonly Message[];
  /** The messages that the model may have seen already. */
  readonly again: ReadonlySet<number>;
  readonly cursor: number;
  /** Called with whether the client got the whole offer. Otherwise its messages count as not taken. */
  settle(written: boolean): void;
}

export interface InboxOptions {
  /** Whether the client records the conversation. Otherwise evidence alone decides. */
  readonly isRecorded?: boolean;
  /** Checks messages that an earlier server may have handed out, as they come. */
  readonly earlier?: Earlier;
  /** Called before each offer, with its last message. */
  readonly onOffer?: (sequence: number) => void;
  /** The capacity. Further messages stay at the broker until a wait fetches them. */
  readonly messagesMax?: number;
  readonly charsMax?: number;
}

/** What became of messages that an earlier server handed out without acknowledging them. */
export interface Earlier {
  /** The last message that the earlier server handed out. */
  readonly upTo: number;
  /** Whether the model has a message, may have it, or cannot have it. */
  find(message: Message): "held" | "perhaps" | "lost";
}

interface Entry {
  readonly message: Message;
  readonly chars: number;
  readonly again: boolean;
}

interface Offering {
  readonly via: Via;
  entries: readonly Entry[];
  written: boolean;
}

export function createInbox(place: number, options: InboxOptions = {}): Inbox {
  const { isRecorded = false, earlier, onOffer, messagesMax = 2_000, charsMax = 2 * 1024 * 1024 } = options;
  let queue: Entry[] = [];
  let queuedChars = 0;
  /** The cursor up to which everything is queued, offered or with the model. A message is queued only if it follows. */
  let known = place;
  /** The cursor up to which messages were got or skipped. Numbers between it and the next message are skipped with that one. */
  let passed = place;
  /** The cursor up to which the subscription has pushed everything. */
  let pushed = 0;
  let offerings: Offering[] = [];
  /** The messages that the model got, until the client's record shows them. */
  let unrecorded: Entry[] = [];
  const listeners = new Set<() => void>();

  function announce(): void {
    for (const listener of [...listeners]) listener();
  }

  /** Removes the text of a redacted message before it is handed out (REDACT-5). */
  function forgetText(event: Message): void {
    const redacted = redactedBy(event);
    if (!redacted) return;
    const forget = (entry: Entry): Entry => {
      if (entry.message.sequence !== redacted.sequence) return entry;
      const message = withoutText(entry.message, redacted.redaction);
      return { ...entry, message, chars: JSON.stringify(message).length };
    };
    replaceQueue(queue.map(forget));
    for (const offering of offerings) offering.entries = offering.entries.map(forget);
  }

  /** False when there is no room. */
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

  function replaceQueue(entries: Entry[]): void {
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
    // The offer may have been taken back meanwhile.
    if (!offerings.includes(offering)) return;
    if (written) offering.written = true;
    else takeBack([offering], false);
    announce();
  }

  /** @param seen - whether the model may have got the messages, which are then marked as repeated */
  function takeBack(given: readonly Offering[], seen: boolean): void {
    offerings = offerings.filter((each) => !given.includes(each));
    const entries = given.flatMap(({ entries, written }) =>
      seen && written ? entries.map((entry) => ({ ...entry, again: true })) : entries,
    );
    replaceQueue([...entries, ...queue].sort((a, b) => a.message.sequence - b.message.sequence));
  }

  function prove(evidence: Evidence): void {
    const lost = offerings.filter(({ via }) => isOtherPrompt(via, evidence));
    // Nothing proves offers that are still on their way to the client.
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

  /** The sequence before the first of these messages, or infinity. */
  function before(...lists: readonly (readonly Entry[])[]): number {
    const firsts = lists.flatMap((entries) => entries.slice(0, 1));
    return Math.min(...firsts.map(({ message }) => message.sequence - 1), Number.POSITIVE_INFINITY);
  }

  /** @param cursor - the highest message that is finished. If no message is waiting, the numbers behind it are finished, too */
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
      // An earlier message had no room: a wait fetches both.
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
      // The conversation with the message is gone, and its record as well.
      record();
    },
    passUpTo(cursor) {
      const isLater = ({ message }: Entry) => message.sequence > cursor;
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

/** The notice for the model, once, when the database of its session was restored (STDIO-12). */
export const resyncNotice =
  "resync: the database was restored. Earlier message and version numbers are no longer valid; read the history and the document again.";

/** Returns whether messages still fit on a page. The first message always fits (WAIT-9). */
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
