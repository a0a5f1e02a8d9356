import type { Addressee, StoredMessage } from "@merkle/db";
import {
  type BrokerFrame,
  findEventKind,
  type Message,
  redactedBy,
  redactedVersions,
  type SubscriptionKind,
  wakes,
} from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { toMessage, withoutSealed } from "../../core/message.js";

/** A message on its way to readers. What readers share is made once, when the first of them needs it. */
export interface Entry {
  readonly sequence: number;
  /** The peer that wrote it, or caused the event. */
  readonly peerId: string | null;
  /** The peers that it is for; null for everyone. */
  readonly reaches: ReadonlySet<string> | null;
  /** Whether it ends a wait that blocks (DELIVER-4). */
  readonly wakes: boolean;
  /** Whose blocking waits it ends, now and then, without waking anyone (DELIVER-4). */
  readonly endsWaitsOf: "everyone" | "convener" | "nobody";
  readonly bytes: number;
  readonly concludes: boolean;
  /** The message that it says was redacted. */
  readonly redacts: number | null;
  /** Whether it says that versions of the document were. */
  readonly redactsDocument: boolean;
  /** As those whom it reaches see it. */
  readonly message: Message;
  /** An inbox brings it to whom it reaches; a follow is anybody's. */
  frame(kind: SubscriptionKind): Buffer;
}

export function toEntry(stored: StoredMessage): Entry {
  return new StoredEntry(stored);
}

/** Parsed when somebody reads it: in a session that nobody watches, nobody does. */
class StoredEntry implements Entry {
  readonly #stored: StoredMessage;
  readonly #frames: Partial<Record<SubscriptionKind, Buffer>> = {};
  #message: Message | undefined;
  readonly sequence: number;
  readonly peerId: string | null;
  readonly reaches: ReadonlySet<string> | null;
  readonly wakes: boolean;
  readonly endsWaitsOf: Entry["endsWaitsOf"];
  readonly bytes: number;
  readonly concludes: boolean;
  readonly redacts: number | null;
  readonly redactsDocument: boolean;

  constructor(stored: StoredMessage) {
    this.#stored = stored;
    this.sequence = stored.sequence;
    this.peerId = stored.posted_by_peer_id;
    this.reaches = stored.reaches && new Set(stored.reaches);
    this.bytes = Buffer.byteLength(stored.content) + 400;
    const event = stored.type === "system" ? this.message : null;
    this.wakes = wakes(event ?? { type: "chat", priority: stored.priority });
    const ending = stored.priority === "low" ? "convener" : "everyone";
    this.endsWaitsOf = findEventKind(event?.event)?.endsWaits ? ending : "nobody";
    this.concludes = event?.event === "session_concluded";
    this.redacts = event && (redactedBy(event)?.sequence ?? null);
    this.redactsDocument = event !== null && redactedVersions(event) !== null;
  }

  get message(): Message {
    this.#message ??= toMessage(this.#stored);
    return this.#message;
  }

  frame(kind: SubscriptionKind): Buffer {
    this.#frames[kind] ??= textFrame(
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
 * Whether a message is for a peer: it is for everyone or reaches the peer, and the peer did not cause it (DELIVER-1). What
 * is delivered goes by this alone; the feed's queries ask it of what is no longer in memory.
 */
function isAddressedTo(entry: Entry, peerId: string): boolean {
  return entry.peerId !== peerId && (entry.reaches === null || entry.reaches.has(peerId));
}

/** Whether it belongs to what a reader asked for: its mail, and with `own` what it caused itself. */
export function isMailOf(entry: Entry, { peerId, own }: Addressee): boolean {
  return isAddressedTo(entry, peerId) || (own && entry.peerId === peerId);
}

/** How many bytes all rings of a broker may hold together. */
export interface RingBudget {
  bytes: number;
}

/** The last messages of one feed, without gaps, within a bound of bytes. */
export interface Ring {
  /** The oldest sequence that it holds; beyond the head when it is empty. */
  readonly first: number;
  push(entry: Entry): void;
  /** The entries after a sequence, or null when some of them are no longer here. Readers at one place get one list. */
  after(sequence: number): readonly Entry[] | null;
  /** Drops what it holds up to a sequence: whoever needs it reads the feed. */
  forget(upTo: number): void;
  clear(): void;
}

export function createRing(head: number, budget: RingBudget): Ring {
  let entries: Entry[] = [];
  let first = head + 1;
  let bytes = 0;
  // Nearly all readers stand at the same place, and ask one after the other.
  let lastAnswer: { sequence: number; entries: readonly Entry[] } | null = null;

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
      lastAnswer = null;
      entries.push(entry);
      bytes += entry.bytes;
      budget.bytes += entry.bytes;
      while (entries.length > 1 && bytes > limits.ringBytesPerSessionMax) dropOldest();
      // Other sessions' rings keep what they have: this one makes room, and readers that are behind read the feed.
      while (entries.length > 0 && budget.bytes > limits.ringBytesTotalMax) dropOldest();
    },
    after(sequence) {
      if (sequence + 1 < first) return null;
      if (lastAnswer?.sequence !== sequence) {
        lastAnswer = { sequence, entries: entries.slice(sequence + 1 - first) };
      }
      return lastAnswer.entries;
    },
    forget(upTo) {
      lastAnswer = null;
      while (entries.length > 0 && first <= upTo) dropOldest();
    },
    clear() {
      budget.bytes -= bytes;
      first += entries.length;
      lastAnswer = null;
      entries = [];
      bytes = 0;
    },
  };
}

/**
 * A complete WebSocket text frame from a server, which is never masked (RFC 6455, section 5.2). Built once, it can be
 * written to any number of sockets.
 */
export function textFrame(text: string): Buffer {
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
