import { randomBytes, randomUUID } from "node:crypto";
import { type MessageRow, messageRowDefaults, type RedactionEvent, type StoredMessage } from "@merkle/db";
import {
  kindOf,
  type Message,
  messageIdFrom,
  type Redaction,
  type SystemEvent,
  saidOf,
  sealedBytes,
  timeOrdered,
  toMessageHead,
  uuidFromDigest,
} from "@merkle/wire";
import { canonicalJson } from "@merkle/wire/record";
import { sha256 } from "./sha256.js";

export interface Author {
  readonly teamId: string;
  readonly peerId: string;
  readonly team: string;
  /** Name of the peer, or null for a team's unnamed peer. */
  readonly peer: string | null;
  readonly human: boolean;
}

/** The content, recipients and references of a posted message. */
export interface Said {
  readonly content: Readonly<Record<string, unknown>>;
  readonly audience: Audience;
  readonly priority: MessageRow["priority"];
  readonly replyTo: number | null;
  /** Sequence of the ask that this message answers. */
  readonly answers: number | null;
}

/**
 * The recipients of a message: the names shown to readers, and the ids of the peers that receive the message
 * (null means everyone).
 */
export interface Audience {
  readonly recipients: readonly string[];
  readonly reaches: readonly string[] | null;
}

export const everyone: Audience = { recipients: messageRowDefaults.recipients, reaches: null };

/** Creates a chat message that is ready to be appended. */
export function chatRow(sessionId: string, id: string, author: Author, said: Said): MessageRow {
  // Every field is written out, as in toStoredMessage: object spread would cost more than the rest of a
  // post's work here.
  return {
    session_id: sessionId,
    id,
    type: "chat",
    team_id: author.teamId,
    peer_id: author.peerId,
    author_team: author.team,
    author_peer: author.peer,
    author_human: author.human,
    recipients: said.audience.recipients,
    priority: said.priority,
    reply_to: said.replyTo,
    content: canonicalJson(said.content),
    salt: newSalt(),
    after_closing: false,
    reaches: said.audience.reaches,
    answers: said.answers,
    kind: kindOf({ type: "chat", content: said.content }),
  };
}

export interface EventOptions {
  /**
   * The peer that caused the event. Its own waits do not return the event. Null if no peer caused the event.
   */
  readonly causedBy: string | null;
  readonly afterClosing?: boolean | undefined;
  /** Recipients (default: everyone). */
  readonly reaches?: readonly string[] | undefined;
  /** Sequence of the message that the event is about. */
  readonly replyTo?: number | undefined;
  /** `now` wakes all recipients, like chat. `low` ends no wait except the convener's (DELIVER-4). */
  readonly priority?: "now" | "low" | undefined;
  /** Id of the message (default: a new id). */
  readonly id?: string | undefined;
}

/** Creates an event that is ready to be appended. */
export function systemRow(sessionId: string, event: SystemEvent, options: EventOptions): MessageRow {
  return {
    ...messageRowDefaults,
    session_id: sessionId,
    id: options.id ?? timeOrdered(randomUUID()),
    type: "system",
    peer_id: options.causedBy,
    priority: options.priority ?? messageRowDefaults.priority,
    reply_to: options.replyTo ?? null,
    content: canonicalJson(event),
    salt: newSalt(),
    after_closing: options.afterClosing ?? false,
    reaches: options.reaches ?? null,
    kind: event.event,
  };
}

const saltBytes = 16;
let drawn = Buffer.alloc(0);
let drawnAt = 0;

/**
 * Returns 16 random bytes in hexadecimal. The bytes are generated for many rows together, because a call to
 * the random number generator costs more than building the rest of a row.
 */
function newSalt(): string {
  if (drawnAt === drawn.length) {
    drawn = randomBytes(saltBytes * 256);
    drawnAt = 0;
  }
  const salt = drawn.toString("hex", drawnAt, drawnAt + saltBytes);
  // Used salt is erased, so that a later memory dump does not contain it.
  drawn.fill(0, drawnAt, drawnAt + saltBytes);
  drawnAt += saltBytes;
  return salt;
}

/** Returns the id of a message: derived from its idempotency key, or random without a key (FEED-5). */
export function messageId(
  sessionId: string,
  peerId: string,
  operation: "post_message" | "send_message",
  idempotencyKey: string | undefined,
): string {
  if (idempotencyKey === undefined) return timeOrdered(randomUUID());
  return messageIdFrom({ sessionId, peerId, operation, idempotencyKey }, hashText);
}

/** Derives a uuid from its parts. The same parts give the same uuid. */
export function idFrom(parts: readonly string[]): string {
  return uuidFromDigest(hashText(JSON.stringify(parts)));
}

const hashText = (text: string) => sha256(text, "hex");

/** Combines an appended row with its sequence and time. */
export function toStoredMessage(row: MessageRow, place: { sequence: number; postedAt: Date }): StoredMessage {
  return {
    session_id: row.session_id,
    sequence: place.sequence,
    id: row.id,
    type: row.type,
    posted_by_team_id: row.team_id,
    posted_by_peer_id: row.peer_id,
    author_team: row.author_team,
    author_peer: row.author_peer,
    author_human: row.author_human,
    recipients: row.recipients,
    priority: row.priority,
    reply_to: row.reply_to,
    content: row.content,
    posted_at: place.postedAt,
    reaches: row.reaches,
    answers: row.answers,
    kind: row.kind,
    redaction: null,
  };
}

/** Converts a stored message for callers (FEED-8). The fields of an event are also at the top level. */
export function toMessage(stored: StoredMessage): Message {
  const content: Record<string, unknown> = JSON.parse(stored.content);
  const message: Message = {
    ...toMessageHead({ ...stored, posted_at: stored.posted_at.toISOString() }),
    content,
    // An imported private message has no salt, because this broker never received it. Nothing in such a message
    // was redacted.
    ...(stored.redaction && content["redacted"] === true && { redaction: toRedaction(stored.redaction) }),
  };
  return stored.type === "system" ? { ...message, ...content } : message;
}

export function toRedaction({ sequence, content }: RedactionEvent): Redaction {
  return { ...saidOf(contentOf(content)), sequence };
}

/**
 * Returns the content of an event. Returns an empty object if the content was damaged in the database, so
 * that other messages can still be read.
 */
export function contentOf(stored: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(stored));
  } catch {
    return {};
  }
}

/**
 * Converts a message for one reader. Only the two peers in a private message get its text. Everyone else sees
 * only the sender, the recipient, the time and the length (SEALED-3).
 */
export function toMessageFor(stored: StoredMessage, peerId: string | null): Message {
  const message = toMessage(stored);
  const isConcerned =
    peerId !== null && (stored.posted_by_peer_id === peerId || stored.reaches?.includes(peerId));
  return isConcerned ? message : withoutSealed(message);
}

/** Returns a message in the form that everyone may see: a private message has no text. */
export function withoutSealed(message: Message): Message {
  const { sealed } = message.content;
  if (message.content["private"] !== true || typeof sealed !== "string") return message;
  return { ...message, content: { private: true, bytes: sealedBytes(sealed) } };
}
