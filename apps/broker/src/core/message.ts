import { randomBytes, randomUUID } from "node:crypto";
import { type MessageRow, messageRowDefaults, type RedactionEventRow, type StoredMessage } from "@merkle/db";
import {
  countSealedBytes,
  deriveMessageId,
  deriveUuid,
  findMessageKind,
  type Message,
  type Redaction,
  type SystemEvent,
  toMessageHead,
  toRedactionFields,
  toTimeOrderedUuid,
} from "@merkle/wire";
import { toCanonicalJson } from "@merkle/wire/record";
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
export interface ChatPost {
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
export function toChatRow(sessionId: string, id: string, author: Author, post: ChatPost): MessageRow {
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
    recipients: post.audience.recipients,
    priority: post.priority,
    reply_to: post.replyTo,
    content: toCanonicalJson(post.content),
    salt: generateSalt(),
    after_closing: false,
    reaches: post.audience.reaches,
    answers: post.answers,
    kind: findMessageKind({ type: "chat", content: post.content }),
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
  /**
   * `now` wakes all recipients, like chat. `low` ends no wait except the convener's, or if the event wakes, puts off its
   * nudge (DELIVER-4).
   */
  readonly priority?: "now" | "low" | undefined;
  /** Id of the message (default: a new id). */
  readonly id?: string | undefined;
}

/** Creates an event that is ready to be appended. */
export function toSystemRow(sessionId: string, event: SystemEvent, options: EventOptions): MessageRow {
  return {
    ...messageRowDefaults,
    session_id: sessionId,
    id: options.id ?? toTimeOrderedUuid(randomUUID()),
    type: "system",
    peer_id: options.causedBy,
    priority: options.priority ?? messageRowDefaults.priority,
    reply_to: options.replyTo ?? null,
    content: toCanonicalJson(event),
    salt: generateSalt(),
    after_closing: options.afterClosing ?? false,
    reaches: options.reaches ?? null,
    kind: event.event,
  };
}

const saltBytes = 16;
let saltPool = Buffer.alloc(0);
let saltPoolOffset = 0;

/**
 * Returns 16 random bytes in hexadecimal. The bytes are generated for many rows together, because a call to
 * the random number generator costs more than building the rest of a row.
 */
function generateSalt(): string {
  if (saltPoolOffset === saltPool.length) {
    saltPool = randomBytes(saltBytes * 256);
    saltPoolOffset = 0;
  }
  const salt = saltPool.toString("hex", saltPoolOffset, saltPoolOffset + saltBytes);
  // Used salt is erased, so that a later memory dump does not contain it.
  saltPool.fill(0, saltPoolOffset, saltPoolOffset + saltBytes);
  saltPoolOffset += saltBytes;
  return salt;
}

/** Returns the id of a message: derived from its idempotency key, or random without a key (FEED-5). */
export function createMessageId(
  sessionId: string,
  peerId: string,
  operation: "post_message" | "send_message",
  idempotencyKey: string | undefined,
): string {
  if (idempotencyKey === undefined) return toTimeOrderedUuid(randomUUID());
  return deriveMessageId({ sessionId, peerId, operation, idempotencyKey }, hashText);
}

/** Derives a uuid from its parts. The same parts give the same uuid. */
export function deriveId(parts: readonly string[]): string {
  return deriveUuid(hashText(JSON.stringify(parts)));
}

const hashText = (text: string) => sha256(text, "hex");

/** Combines an appended row with its sequence and time. */
export function toStoredMessage(
  row: MessageRow,
  position: { sequence: number; postedAt: Date },
): StoredMessage {
  return {
    session_id: row.session_id,
    sequence: position.sequence,
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
    posted_at: position.postedAt,
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

export function toRedaction({ sequence, content }: RedactionEventRow): Redaction {
  return { ...toRedactionFields(parseContent(content)), sequence };
}

/**
 * Returns the content of an event. Returns an empty object if the content was damaged in the database, so
 * that other messages can still be read.
 */
export function parseContent(stored: string): Record<string, unknown> {
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
  const isParty =
    peerId !== null && (stored.posted_by_peer_id === peerId || stored.reaches?.includes(peerId));
  return isParty ? message : withoutSealed(message);
}

/** Returns a message in the form that everyone may see: a private message has no text. */
export function withoutSealed(message: Message): Message {
  const { sealed } = message.content;
  if (message.content["private"] !== true || typeof sealed !== "string") return message;
  return { ...message, content: { private: true, bytes: countSealedBytes(sealed) } };
}
