import {
  type Addressee,
  type Queryable,
  readFeedHeads,
  readInbox,
  readMessagesAfter,
  type StoredMessage,
} from "@merkle/db";
import type { BrokerFrame, ChangedKind, SubscriptionKind } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { Log } from "../../core/log.js";
import { sessionArchived } from "../../sessions/access/authorize.js";
import { createRing, type Entry, isMailOf, type RingBudget, toEntry, toTextFrame } from "./entry.js";

/** A reader that is woken when a session has more to read. */
export interface ChannelReader {
  /** Called when the head has moved or the session was closed. */
  wake(): void;
  /** Called when something else in the session has changed. */
  notifyChange?(frame: Buffer): void;
}

export interface ReadBounds {
  readonly messagesMax: number;
  readonly bytesMax: number;
}

/** The messages for one peer that one read returns. */
export interface Mail {
  readonly entries: readonly Entry[];
  /** The feed contains no other messages for the peer up to this sequence. */
  readonly upTo: number;
}

/**
 * The live end of one session: its head, its latest messages and its attached readers. Readers keep only a
 * cursor, and no messages are queued for them. A reader that is behind reads from the ring in memory, or
 * pages from the database.
 */
export interface SessionChannel {
  readonly sessionId: string;
  readonly head: number;
  readonly isClosed: boolean;
  readonly documentVersion: number;
  readonly readers: number;
  /**
   * Accepts committed messages. If messages before them are missing, one read from the database is enough,
   * because message n + 1 is committed only after message n.
   */
  accept(messages: readonly StoredMessage[]): void;
  /** Records that the feed has reached at least this sequence, and reads the missing messages. */
  hint(sequence: number): void;
  /**
   * Works like `hint`, but returns a promise that resolves once the messages have been read or the read has
   * failed.
   */
  reach(sequence: number): Promise<void>;
  /** Reads the entries after a sequence, in order and up to the given bounds. */
  read(after: number, bounds: ReadBounds): Promise<readonly Entry[]>;
  /** Reads like `read`, from memory only. Returns null if an entry is not in memory. */
  readNow(after: number, bounds: ReadBounds): readonly Entry[] | null;
  /**
   * Reads the entries for one peer after a sequence. If there are no entries, `upTo` is the end of the range
   * that was searched.
   */
  readMail(after: number, addressee: Addressee, bounds: ReadBounds): Promise<Mail>;
  /** Reads like `readMail`, from memory only. Returns null if an entry is not in memory. */
  readMailNow(after: number, addressee: Addressee, bounds: ReadBounds): Mail | null;
  /**
   * Returns the frames of the entries as one buffer, because one write per socket is much cheaper than one write per
   * message. Readers that are woken together share the buffer if they pass the same array.
   */
  toFrames(entries: readonly Entry[], kind: SubscriptionKind): Buffer;
  attach(reader: ChannelReader): () => void;
  /**
   * Closes the feed at this message, once the channel has the message. If the feed closed earlier, readers
   * would miss the last messages (WAIT-3).
   */
  closeAt(sequence: number): void;
  announceChange(kind: ChangedKind, version: number): void;
  dispose(): void;
}

/**
 * Maximum number of bytes sent to readers per turn of the event loop. Otherwise many readers of large messages would delay
 * other requests.
 */
const turnBytesMax = 1024 * 1024;
/**
 * Cost of waking a reader besides the bytes sent, expressed in bytes: a system call costs as much as sending a
 * few thousand bytes. If the wake-up takes several turns, the readers woken first make their next calls before
 * the rest are woken, and those calls cost more than waking the rest. So up to 512 readers are woken in the
 * first turn.
 */
const readerBytes = 2 * 1024;

export interface ChannelStart {
  readonly sessionId: string;
  readonly head: number;
  readonly isClosed: boolean;
  readonly documentVersion: number;
}

export function createChannel(
  start: ChannelStart,
  { database, budget, log }: { database: { orm: Queryable }; budget: RingBudget; log: Log },
): SessionChannel {
  const { sessionId } = start;
  let { head, isClosed, documentVersion } = start;
  const ring = createRing(head, budget);
  const readers = new Set<ChannelReader>();
  let knownHead = head;
  let readingMissing: Promise<void> | null = null;
  /**
   * The readers that still have to be woken in this round, including readers that attach during the round.
   */
  let readersToWake: Iterator<ChannelReader> | null = null;
  let shouldWakeAgain = false;
  let turn: NodeJS.Immediate | undefined;
  let sentBytes = 0;
  // Shared frames. Kept only while readers are being woken, because only the ring may keep a session's messages
  // in memory for longer.
  const sharedFrames = new Map<readonly Entry[], Partial<Record<SubscriptionKind, Buffer>>>();
  let lastMail: readonly Entry[] = [];

  /**
   * Wakes every reader, immediately or over several turns of the event loop. A reader that is woken late also
   * gets the messages that have arrived since.
   */
  function wakeAll(): void {
    if (readersToWake) {
      shouldWakeAgain = true;
      return;
    }
    readersToWake = readers.values();
    wakeSome(readersToWake);
  }

  function wakeSome(readersLeft: Iterator<ChannelReader>): void {
    sentBytes = 0;
    try {
      while (sentBytes < turnBytesMax) {
        const next = readersLeft.next();
        if (next.done) return endWaking();
        sentBytes += readerBytes;
        next.value.wake();
      }
    } catch (error) {
      // Without this reset, no reader would ever be woken again after an error.
      endWaking();
      throw error;
    }
    turn = setImmediate(() => wakeSome(readersLeft));
  }

  function endWaking(): void {
    readersToWake = null;
    sharedFrames.clear();
    lastMail = [];
    if (!shouldWakeAgain) return;
    shouldWakeAgain = false;
    wakeAll();
  }

  function toFrames(entries: readonly Entry[], kind: SubscriptionKind): Buffer {
    const [first] = entries;
    if (!first) return Buffer.alloc(0);
    if (entries.length === 1) return countSent(first.toFrame(kind));
    const frames = sharedFrames.get(entries) ?? {};
    frames[kind] ??= Buffer.concat(entries.map((entry) => entry.toFrame(kind)));
    if (readersToWake) sharedFrames.set(entries, frames);
    return countSent(frames[kind]);
  }

  function countSent(frames: Buffer): Buffer {
    sentBytes += frames.length;
    return frames;
  }

  function notifyReaders(kind: ChangedKind, version: number): void {
    const frame = toTextFrame(
      JSON.stringify({ type: "changed", kind, session_id: sessionId, version } satisfies BrokerFrame),
    );
    for (const reader of readers) reader.notifyChange?.(frame);
  }

  function push(message: StoredMessage): void {
    const entry = toEntry(message);
    head = entry.sequence;
    if (entry.isConclusion) isClosed = true;
    if (entry.redactedSequence !== null) dropText(entry.redactedSequence);
    if (entry.isDocumentRedaction) notifyReaders("document", documentVersion);
    ring.push(entry);
  }

  /**
   * Drops a redacted message's text from memory. Also drops the frames built for the current wake-up, because
   * the readers still to be woken must not get the text.
   */
  function dropText(sequence: number): void {
    ring.dropUpTo(sequence);
    sharedFrames.clear();
  }

  function startReadingMissing(): Promise<void> {
    readingMissing ??= readMissing();
    return readingMissing;
  }

  async function readMissing(): Promise<void> {
    try {
      while (head < knownHead) {
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
      // Cleared in the same turn of the event loop as the check that no messages are missing, so that the
      // next hint starts a new read.
      readingMissing = null;
    }
  }

  /**
   * Throws if the session is archived. An empty read may mean that the messages are in the archive. Without
   * this check, a reader admitted before the archiving would skip messages that it has not received
   * (ARCHIVE-6).
   *
   * @throws session_archived
   */
  async function refuseArchived(): Promise<void> {
    if (!isClosed) return;
    const [feed] = await readFeedHeads(database.orm, [sessionId]);
    if (feed?.archivedAt) throw sessionArchived({ slug: sessionId });
  }

  function cutToBounds(entries: readonly Entry[], { messagesMax, bytesMax }: ReadBounds): readonly Entry[] {
    let bytes = 0;
    const end = entries.findIndex((entry, index) => {
      bytes += entry.bytes;
      return index === messagesMax || (index > 0 && bytes > bytesMax);
    });
    return end === -1 ? entries : entries.slice(0, end);
  }

  function readNow(after: number, bounds: ReadBounds): readonly Entry[] | null {
    if (after >= head) return [];
    const entries = ring.findAfter(after);
    return entries && cutToBounds(entries, bounds);
  }

  /**
   * Returns the entries for one peer. Peers with the same messages get the same array, so that they share its
   * frames.
   */
  function selectMail(entries: readonly Entry[], addressee: Addressee): readonly Entry[] {
    const mail = entries.filter((entry) => isMailOf(entry, addressee));
    if (mail.length === entries.length) return entries;
    const isUnchanged = mail.length === lastMail.length && mail.every((entry, at) => entry === lastMail[at]);
    if (isUnchanged) return lastMail;
    if (readersToWake) lastMail = mail;
    return mail;
  }

  function readMailNow(after: number, addressee: Addressee, bounds: ReadBounds): Mail | null {
    if (after >= head) return { entries: [], upTo: after };
    const inMemory = ring.findAfter(after);
    if (!inMemory) return null;
    const mail = selectMail(inMemory, addressee);
    const entries = cutToBounds(mail, bounds);
    const next = mail[entries.length];
    return { entries, upTo: next ? next.sequence - 1 : head };
  }

  return {
    sessionId,
    get head() {
      return head;
    },
    get isClosed() {
      return isClosed;
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
        knownHead = Math.max(knownHead, message.sequence);
      }
      if (head > before) wakeAll();
      if (head < knownHead) void startReadingMissing();
    },
    hint(sequence) {
      knownHead = Math.max(knownHead, sequence);
      if (head < knownHead) void startReadingMissing();
    },
    async reach(sequence) {
      knownHead = Math.max(knownHead, sequence);
      if (head < sequence) await startReadingMissing();
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
      const { messages, upTo } = await readInbox(database.orm, sessionId, addressee, range, bounds);
      if (messages.length === 0) await refuseArchived();
      return { entries: messages.map(toEntry), upTo };
    },
    readMailNow,
    toFrames,
    attach(reader) {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    closeAt(sequence) {
      // If the head is behind, the read in progress will also return the message about the conclusion.
      if (isClosed || head < sequence) return;
      isClosed = true;
      wakeAll();
    },
    announceChange(kind, version) {
      if (kind === "document") {
        if (version <= documentVersion) return;
        documentVersion = version;
      }
      notifyReaders(kind, version);
      // An archived session may have been restored, so readers try again.
      if (kind === "session") wakeAll();
    },
    dispose() {
      clearImmediate(turn);
      ring.clear();
    },
  };
}
