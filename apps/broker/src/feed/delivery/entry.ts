import type { Addressee, StoredMessage } from "@merkle/db";
import {
  type BrokerFrame,
  findEventKind,
  findRedactedMessage,
  findRedactedVersions,
  type Message,
  type SubscriptionKind,
  wakes,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { toMessage, withoutSealed } from "../../core/message.js";

/** A message as it is sent to readers. Parts that readers share are built once, when the first reader needs them. */
export interface Entry {
  readonly sequence: number;
  /** The peer that wrote the message or caused the event. */
  readonly peerId: string | null;
  /** Ids of the peers that the message reaches, or null for everyone. */
  readonly reaches: ReadonlySet<string> | null;
  /** Whether the message ends a blocking wait (DELIVER-4). */
  readonly canWake: boolean;
  /**
   * The peers whose blocking waits this event may end even though it wakes no one. Such an event ends a
   * peer's waits at most once per `endsWaitsMsMin` (DELIVER-4).
   */
  readonly endsWaitsOf: "everyone" | "convener" | "nobody";
  readonly bytes: number;
  readonly isConclusion: boolean;
  /** Sequence of the message that this event reports as redacted. */
  readonly redactedSequence: number | null;
  /** Whether this event reports that document versions were redacted. */
  readonly isDocumentRedaction: boolean;
  /** The message as shown to its recipients. */
  readonly message: Message;
  /**
   * Returns the frame for an inbox or a follow. For a follow, sealed content is left out, because anyone may
   * follow a session.
   */
  toFrame(kind: SubscriptionKind): Buffer;
}

export function toEntry(stored: StoredMessage): Entry {
  return new StoredEntry(stored);
}

/** An entry that parses its message on first use. If a session has no readers, no message is parsed. */
class StoredEntry implements Entry {
  readonly #stored: StoredMessage;
  readonly #frames: Partial<Record<SubscriptionKind, Buffer>> = {};
  #message: Message | undefined;
  readonly sequence: number;
  readonly peerId: string | null;
  readonly reaches: ReadonlySet<string> | null;
  readonly canWake: boolean;
  readonly endsWaitsOf: Entry["endsWaitsOf"];
  readonly bytes: number;
  readonly isConclusion: boolean;
  readonly redactedSequence: number | null;
  readonly isDocumentRedaction: boolean;

  constructor(stored: StoredMessage) {
    this.#stored = stored;
    this.sequence = stored.sequence;
    this.peerId = stored.posted_by_peer_id;
    this.reaches = stored.reaches && new Set(stored.reaches);
    this.bytes = Buffer.byteLength(stored.content) + 400;
    const event = stored.type === "system" ? this.message : null;
    this.canWake = wakes(event ?? { type: "chat", priority: stored.priority });
    const ending = stored.priority === "low" ? "convener" : "everyone";
    this.endsWaitsOf = findEventKind(event?.event)?.endsWaits ? ending : "nobody";
    this.isConclusion = event?.event === "session_concluded";
    this.redactedSequence = event && (findRedactedMessage(event)?.sequence ?? null);
    this.isDocumentRedaction = event !== null && findRedactedVersions(event) !== null;
  }

  get message(): Message {
    this.#message ??= toMessage(this.#stored);
    return this.#message;
  }

  toFrame(kind: SubscriptionKind): Buffer {
    this.#frames[kind] ??= toTextFrame(
      JSON.stringify({
        type: "message",
        kind,
        session_id: this.#stored.session_id,
        message: kind === "follow" ? withoutSealed(this.message) : this.message,
      } satisfies BrokerFrame),
    );
    return this.#frames[kind];
  }
}

/**
 * Returns whether a message is for a peer: the message is for everyone or reaches the peer, and the peer did
 * not cause it (DELIVER-1). This rule alone decides delivery. The feed's queries apply the same rule to
 * messages that are not in memory.
 */
function isAddressedTo(entry: Entry, peerId: string): boolean {
  return entry.peerId !== peerId && (entry.reaches === null || entry.reaches.has(peerId));
}

/**
 * Returns whether an entry is one of the reader's messages. With `includesOwn`, this includes entries that the reader
 * caused.
 */
export function isMailOf(entry: Entry, { peerId, includesOwn }: Addressee): boolean {
  return isAddressedTo(entry, peerId) || (includesOwn && entry.peerId === peerId);
}

/** Counts the bytes in all of a broker's rings together. */
export interface RingBudget {
  bytes: number;
}

/** The latest messages of one feed, without gaps, up to a limit in bytes. */
export interface Ring {
  /** The oldest sequence in the ring, or head + 1 if the ring is empty. */
  readonly first: number;
  push(entry: Entry): void;
  /**
   * Returns the entries after a sequence, or null if some of them were dropped. Readers with the same cursor get the same
   * array.
   */
  findAfter(sequence: number): readonly Entry[] | null;
  /** Drops the entries up to a sequence. Readers that need these entries read them from the database. */
  dropUpTo(upTo: number): void;
  clear(): void;
}

export function createRing(head: number, budget: RingBudget): Ring {
  let entries: Entry[] = [];
  let first = head + 1;
  let bytes = 0;
  // The last result. Nearly all readers have the same cursor and read one after another.
  let lastResult: { sequence: number; entries: readonly Entry[] } | null = null;

  function dropOldest(): void {
    const oldest = entries.shift();
    if (!oldest) return;
    bytes -= oldest.bytes;
    budget.bytes -= oldest.bytes;
    first = oldest.sequence + 1;
  }

  return {
    get first() {
      return first;
    },
    push(entry) {
      lastResult = null;
      entries.push(entry);
      bytes += entry.bytes;
      budget.bytes += entry.bytes;
      while (entries.length > 1 && bytes > limits.ringBytesPerSessionMax) dropOldest();
      // Only this ring drops entries to make room. Other sessions' rings keep theirs. Readers that are behind
      // read from the database.
      while (entries.length > 0 && budget.bytes > limits.ringBytesTotalMax) dropOldest();
    },
    findAfter(sequence) {
      if (sequence + 1 < first) return null;
      if (lastResult?.sequence !== sequence) {
        lastResult = { sequence, entries: entries.slice(sequence + 1 - first) };
      }
      return lastResult.entries;
    },
    dropUpTo(upTo) {
      lastResult = null;
      while (entries.length > 0 && first <= upTo) dropOldest();
    },
    clear() {
      budget.bytes -= bytes;
      first += entries.length;
      lastResult = null;
      entries = [];
      bytes = 0;
    },
  };
}

/**
 * Builds a complete WebSocket text frame. Frames from a server are never masked (RFC 6455, section 5.2), so one frame can be
 * written to any number of sockets.
 */
export function toTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const header = length < 126 ? 2 : length <= 0xffff ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = finalText;
  if (header === 2) {
    frame[1] = length;
  } else if (header === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, header);
  return frame;
}

const finalText = 0x81;
