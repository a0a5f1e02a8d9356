import { compactMessage, type Message, redactedBy, withoutText } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";

/**
 * The messages that have come for one peer and have not reached its model yet. Two sources fill it, the pushes of a subscription
 * and the replies of waits; tools and hooks take from it. Whatever they take is only offered until something shows that the model
 * has got it, and is offered again when it has not (WAKE-4). It does no I/O and knows no time.
 */
export interface Inbox {
  /** Up to here the model has got everything that is for it, and keeps it: this is acknowledged. */
  readonly place: number;
  /** Up to here the model has got everything, as far as evidence goes. */
  readonly shown: number;
  /** Whether evidence shows that the model has got something of which no record was seen yet. */
  readonly isUnrecorded: boolean;
  /** The messages that were not offered yet, or are to be offered again, in order. */
  readonly pending: readonly Message[];
  /** Whether nothing is pending here and, as far as this server knows, at the broker. */
  readonly isDrained: boolean;
  /** Whether something has come for which there is no room before what is pending is taken. */
  readonly isFull: boolean;
  /** Whether an offer is on its way to the client. */
  readonly isHandingOut: boolean;
  /** Whether something was handed out that is not acknowledged yet, and that the broker would therefore hand out again. */
  readonly isOffering: boolean;
  /** Goes on after this cursor, and forgets what has come. */
  restart(place: number): void;
  /** Forgets everything: the numbers of a restored database mean other messages. */
  forget(): void;
  /** Takes what a subscription brings. */
  push(message: Message): void;
  /** Takes the page that a wait from `after` brought, which reaches up to `upTo`. */
  fill(after: number, messages: readonly Message[], upTo: number): void;
  /** Takes the next messages out that are not `skipped`, as long as `fits` says so; null when there is none, or not even the first fits. */
  offer(via: Via, fits: Fits, isSkipped?: (message: Message) => boolean): Offer | null;
  /** The next messages after a sequence, as long as `fits` says so, without taking them: for who is not the one they are for. */
  peek(after: number, fits: Fits): readonly Message[];
  /** Something happened that shows what the model has got. */
  prove(evidence: Evidence): void;
  /** The client's record of the conversation holds those of which evidence was seen and which `holds` names; without it, all. */
  record(holds?: (message: Message) => boolean): void;
  /** The conversation in which it was offered is gone, and everything that lacks evidence with it. */
  startOver(): void;
  /** Passes over everything up to a cursor that was acknowledged by other means. */
  passUpTo(cursor: number): void;
  /** Listens to every change; returns how to stop. */
  listen(listener: () => void): () => void;
}

/** How an offer goes to the model: as the result of its own call, or of a hook that the client runs at a prompt. */
type Via = { readonly by: "call" } | { readonly by: "hook"; readonly prompt: string };

/**
 * Something that the model does after it got an offer. It calls a tool, which it can only do in a turn that has everything
 * offered before. Or its client runs a hook, which proves the same for its own prompt, and for another the opposite: an
 * interrupted prompt takes with it what a hook had added.
 */
type Evidence = { readonly by: "call" } | { readonly by: "hook"; readonly prompt: string };

/** Asked once for each message, in order, and no more after the first that does not fit. */
export type Fits = (message: Message) => boolean;

export interface Offer {
  readonly messages: readonly Message[];
  /** Those of them that the model may have seen already. */
  readonly again: ReadonlySet<number>;
  readonly cursor: number;
  /** Tells whether it was written to the client in full. What was not is as if it had never been taken. */
  settle(written: boolean): void;
}

export interface InboxOptions {
  /** Whether the client keeps a record of the conversation, without which evidence is all there is. */
  readonly isRecorded?: boolean;
  /** The messages that an earlier server may have handed out, to be looked at as they come. */
  readonly earlier?: Earlier;
  /** Told of each offer before it is made, with its last message. */
  readonly onOffer?: (sequence: number) => void;
  /** Beyond these, messages stay at the broker, from where a wait brings them when there is room. */
  readonly messagesMax?: number;
  readonly charsMax?: number;
}

/** Tells what became of the messages that an earlier server handed out and that were not acknowledged. */
export interface Earlier {
  /** The last message that it handed out. */
  readonly upTo: number;
  /** Whether the model has it, may have it, or cannot have it. */
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
  /** Up to here everything is in the queue, offered or with the model: the next message is queued only if it follows. */
  let known = place;
  /** Up to here something has been got or passed over; what lies between this and the next message is passed over with that. */
  let passed = place;
  /** Up to here the subscription has brought everything that it had to bring. */
  let pushed = 0;
  let offerings: Offering[] = [];
  /** The messages that the model has got, until they are seen to be recorded. */
  let unrecorded: Entry[] = [];
  const listeners = new Set<() => void>();

  function announce(): void {
    for (const listener of [...listeners]) listener();
  }

  /** A message that has lost its text loses it here, too, before anybody is handed it (REDACT-5). */
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
    // It may have been given up meanwhile.
    if (!offerings.includes(offering)) return;
    if (written) offering.written = true;
    else takeBack([offering], false);
    announce();
  }

  /** @param seen - whether the model may have got it, so that it is told when it sees it again */
  function takeBack(given: readonly Offering[], seen: boolean): void {
    offerings = offerings.filter((each) => !given.includes(each));
    const entries = given.flatMap(({ entries, written }) =>
      seen && written ? entries.map((entry) => ({ ...entry, again: true })) : entries,
    );
    replaceQueue([...entries, ...queue].sort((a, b) => a.message.sequence - b.message.sequence));
  }

  function prove(evidence: Evidence): void {
    const lost = offerings.filter(({ via }) => isOtherPrompt(via, evidence));
    // Offers that are still on their way are proved by nothing that has happened yet.
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

  /** The sequence before the first of these, or infinity. */
  function before(...lists: readonly (readonly Entry[])[]): number {
    const firsts = lists.flatMap((entries) => entries.slice(0, 1));
    return Math.min(...firsts.map(({ message }) => message.sequence - 1), Number.POSITIVE_INFINITY);
  }

  /** @param cursor - the highest message that is known to be done with; where nothing else waits, so is what follows it */
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
      // Something before it did not fit: a wait brings both.
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
      // The conversation that had it is gone, and its record with it.
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

/** The notice that a model is given once when the database behind its session was restored (STDIO-12). */
export const resyncNotice =
  "resync: the database was restored. Earlier message and version numbers are no longer valid; read the history and the document again.";

/** Says how long messages fit on the page of whoever reads it: the first one always does (WAIT-9). */
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
