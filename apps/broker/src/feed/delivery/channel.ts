import {
  type Addressee,
  type Queryable,
  readFeedHeads,
  readMail,
  readMessagesAfter,
  type StoredMessage,
} from "@merkle/db";
import type { BrokerFrame, ChangedKind, SubscriptionKind } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Log } from "../../core/log.js";
import { sessionArchived } from "../../sessions/access/authorize.js";
import { createRing, type Entry, isMailOf, type RingBudget, textFrame, toEntry } from "./entry.js";

/** Something that is told when a session has more to read. */
export interface Reader {
  /** The head has moved, or the session was closed. */
  wake(): void;
  /** Something that is no message has changed. */
  changed?(frame: Buffer): void;
}

export interface ReadBounds {
  readonly messagesMax: number;
  readonly bytesMax: number;
}

/** The messages of a feed that a peer reads at once. */
export interface Mail {
  readonly entries: readonly Entry[];
  /** The feed holds nothing more for the peer up to here. */
  readonly upTo: number;
}

/**
 * One session's live end: its head, its last messages, and who reads on. Readers keep one number each, and nothing
 * queues for them: whoever is behind reads from the ring, or a page from the feed.
 */
export interface Channel {
  readonly sessionId: string;
  readonly head: number;
  readonly closed: boolean;
  readonly documentVersion: number;
  readonly readers: number;
  /** Takes in committed messages. A hole before them is filled by one read: holding number n + 1 means n is committed. */
  accept(messages: readonly StoredMessage[]): void;
  /** Learns that the feed is at least this far; reads what is missing. */
  hint(sequence: number): void;
  /** The same; resolves when it was read, or could not be. */
  reach(sequence: number): Promise<void>;
  /** Reads on after a sequence, in order, as much as the bounds allow. */
  read(after: number, bounds: ReadBounds): Promise<readonly Entry[]>;
  /** The same when it is all in memory, else null. */
  readNow(after: number, bounds: ReadBounds): readonly Entry[] | null;
  /** Reads on after a sequence what is for a peer. Without entries it says how far the feed was looked through. */
  readMail(after: number, addressee: Addressee, bounds: ReadBounds): Promise<Mail>;
  /** The same when it is all in memory, else null. */
  readMailNow(after: number, addressee: Addressee, bounds: ReadBounds): Mail | null;
  /**
   * The frames of entries as one buffer: one write to each socket is a good deal cheaper than one for each message. Readers
   * that are woken together share it where they were given one list.
   */
  framesOf(entries: readonly Entry[], kind: SubscriptionKind): Buffer;
  attach(reader: Reader): () => void;
  /** Ends the feed at this message, once it is here: before, a reader would be told that nothing more comes (WAIT-3). */
  closeAt(sequence: number): void;
  announceChange(kind: ChangedKind, version: number): void;
  dispose(): void;
}

/**
 * The most that is handed out in one turn of the event loop, so that many readers of much do not hold up
 * what others ask meanwhile.
 */
const turnBytesMax = 1024 * 1024;
/**
 * The cost of telling a reader, beside the bytes, in bytes: a call to the system is worth some thousand of them. Between two turns
 * those readers ask again, which costs more than telling the others, so up to 512 readers are told first.
 */
const readerBytes = 2 * 1024;

export interface ChannelStart {
  readonly sessionId: string;
  readonly head: number;
  readonly closed: boolean;
  readonly documentVersion: number;
}

export function createChannel(
  start: ChannelStart,
  { database, budget, log }: { database: { orm: Queryable }; budget: RingBudget; log: Log },
): Channel {
  const { sessionId } = start;
  let { head, closed, documentVersion } = start;
  const ring = createRing(head, budget);
  const readers = new Set<Reader>();
  let known = head;
  let filling: Promise<void> | null = null;
  /** Those who are yet to be woken, while others have been; whoever comes meanwhile is among them. */
  let toWake: Iterator<Reader> | null = null;
  let wakeAgain = false;
  let turn: NodeJS.Immediate | undefined;
  let handedOut = 0;
  // Kept only while readers are woken: the ring bounds what a session may hold for longer.
  const joined = new Map<readonly Entry[], Partial<Record<SubscriptionKind, Buffer>>>();
  let lastMail: readonly Entry[] = [];

  /** Wakes every reader, at once or over some turns of the event loop; who is woken late finds all that came until then. */
  function wakeAll(): void {
    if (toWake) {
      wakeAgain = true;
      return;
    }
    toWake = readers.values();
    wakeSome(toWake);
  }

  function wakeSome(some: Iterator<Reader>): void {
    handedOut = 0;
    try {
      while (handedOut < turnBytesMax) {
        const next = some.next();
        if (next.done) return endWaking();
        handedOut += readerBytes;
        next.value.wake();
      }
    } catch (error) {
      // Left as it is, nobody would ever be woken again.
      endWaking();
      throw error;
    }
    turn = setImmediate(() => wakeSome(some));
  }

  function endWaking(): void {
    toWake = null;
    joined.clear();
    lastMail = [];
    if (!wakeAgain) return;
    wakeAgain = false;
    wakeAll();
  }

  function framesOf(entries: readonly Entry[], kind: SubscriptionKind): Buffer {
    const [first] = entries;
    if (!first) return Buffer.alloc(0);
    if (entries.length === 1) return hand(first.frame(kind));
    const known = joined.get(entries) ?? {};
    known[kind] ??= Buffer.concat(entries.map((entry) => entry.frame(kind)));
    if (toWake) joined.set(entries, known);
    return hand(known[kind]);
  }

  function hand(frames: Buffer): Buffer {
    handedOut += frames.length;
    return frames;
  }

  function tellOfChange(kind: ChangedKind, version: number): void {
    const frame = textFrame(
      JSON.stringify({ type: "changed", kind, session_id: sessionId, version } satisfies BrokerFrame),
    );
    for (const reader of readers) reader.changed?.(frame);
  }

  function push(message: StoredMessage): void {
    const entry = toEntry(message);
    head = entry.sequence;
    if (entry.concludes) closed = true;
    if (entry.redacts !== null) forgetText(entry.redacts);
    if (entry.redactsDocument) tellOfChange("document", documentVersion);
    ring.push(entry);
  }

  /**
   * Drops a removed text. Frames that were made for readers who are being woken hold it as well; a reader who is
   * woken later must not get it.
   */
  function forgetText(sequence: number): void {
    ring.forget(sequence);
    joined.clear();
  }

  function fill(): Promise<void> {
    filling ??= readOn();
    return filling;
  }

  async function readOn(): Promise<void> {
    try {
      while (head < known) {
        const page = await readMessagesAfter(database.orm, sessionId, head, {
          messagesMax: limits.pageMessagesMax,
          bytesMax: limits.pageBytesMax,
        });
        if (page.length === 0) break;
        for (const message of page) if (message.sequence === head + 1) push(message);
        wakeAll();
      }
    } catch (error) {
      log.warn("reading a feed's missing messages failed; the next hint tries again", { sessionId, error });
    } finally {
      // In the same breath in which it saw that nothing is missing: a hint that comes next begins anew.
      filling = null;
    }
  }

  /**
   * Where nothing was found, the messages may be in the archive: a reader that was let in before that would pass over what it has
   * not got (ARCHIVE-6).
   *
   * @throws session_archived
   */
  async function refuseArchived(): Promise<void> {
    if (!closed) return;
    const [feed] = await readFeedHeads(database.orm, [sessionId]);
    if (feed?.archivedAt) throw sessionArchived({ slug: sessionId });
  }

  function within(entries: readonly Entry[], { messagesMax, bytesMax }: ReadBounds): readonly Entry[] {
    let bytes = 0;
    const end = entries.findIndex((entry, index) => {
      bytes += entry.bytes;
      return index === messagesMax || (index > 0 && bytes > bytesMax);
    });
    return end === -1 ? entries : entries.slice(0, end);
  }

  function readNow(after: number, bounds: ReadBounds): readonly Entry[] | null {
    if (after >= head) return [];
    const entries = ring.after(after);
    return entries && within(entries, bounds);
  }

  /** Peers for whom the same is meant are given one list, so that they share its frames. */
  function mailIn(entries: readonly Entry[], addressee: Addressee): readonly Entry[] {
    const mail = entries.filter((entry) => isMailOf(entry, addressee));
    if (mail.length === entries.length) return entries;
    const isAsBefore = mail.length === lastMail.length && mail.every((entry, at) => entry === lastMail[at]);
    if (isAsBefore) return lastMail;
    if (toWake) lastMail = mail;
    return mail;
  }

  function readMailNow(after: number, addressee: Addressee, bounds: ReadBounds): Mail | null {
    if (after >= head) return { entries: [], upTo: after };
    const inMemory = ring.after(after);
    if (!inMemory) return null;
    const mail = mailIn(inMemory, addressee);
    const entries = within(mail, bounds);
    const next = mail[entries.length];
    return { entries, upTo: next ? next.sequence - 1 : head };
  }

  return {
    sessionId,
    get head() {
      return head;
    },
    get closed() {
      return closed;
    },
    get documentVersion() {
      return documentVersion;
    },
    get readers() {
      return readers.size;
    },
    accept(messages) {
      const before = head;
      for (const message of messages) {
        if (message.sequence === head + 1) push(message);
        known = Math.max(known, message.sequence);
      }
      if (head > before) wakeAll();
      if (head < known) void fill();
    },
    hint(sequence) {
      known = Math.max(known, sequence);
      if (head < known) void fill();
    },
    async reach(sequence) {
      known = Math.max(known, sequence);
      if (head < sequence) await fill();
    },
    async read(after, bounds) {
      const inMemory = readNow(after, bounds);
      if (inMemory) return inMemory;
      const page = await readMessagesAfter(database.orm, sessionId, after, bounds, head);
      if (page.length === 0) await refuseArchived();
      return page.map(toEntry);
    },
    readNow,
    async readMail(after, addressee, bounds) {
      const inMemory = readMailNow(after, addressee, bounds);
      if (inMemory) return inMemory;
      const range = { after, upTo: head };
      const { messages, upTo } = await readMail(database.orm, sessionId, addressee, range, bounds);
      if (messages.length === 0) await refuseArchived();
      return { entries: messages.map(toEntry), upTo };
    },
    readMailNow,
    framesOf,
    attach(reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    closeAt(sequence) {
      // What is still being read brings the conclusion itself.
      if (closed || head < sequence) return;
      closed = true;
      wakeAll();
    },
    announceChange(kind, version) {
      if (kind === "document") {
        if (version <= documentVersion) return;
        documentVersion = version;
      }
      tellOfChange(kind, version);
      // What was archived may be back.
      if (kind === "session") wakeAll();
    },
    dispose() {
      clearImmediate(turn);
      ring.clear();
    },
  };
}
