import { hash, randomBytes, randomUUID } from "node:crypto";
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

/** The author of a message. */
export interface Author {
  readonly teamId: string;
  readonly peerId: string;
  readonly team: string;
  /** Null for a team's unnamed peer. */
  readonly peer: string | null;
  readonly human: boolean;
}

/** A message's content, and whom and what it is for. */
export interface Said {
  readonly content: Readonly<Record<string, unknown>>;
  readonly audience: Audience;
  readonly priority: MessageRow["priority"];
  readonly replyTo: number | null;
  /** The ask that it settles. */
  readonly answers: number | null;
}

/** The recipients of a message: as readers are shown them, and the peers that it reaches, null for everyone. */
export interface Audience {
  readonly recipients: readonly string[];
  readonly reaches: readonly string[] | null;
}

export const everyone: Audience = { recipients: messageRowDefaults.recipients, reaches: null };

/** A chat message, ready to be appended. */
export function chatRow(sessionId: string, id: string, author: Author, said: Said): MessageRow {
  // Written out, as in toStoredMessage: copying an object's fields would cost more than all else that a post needs here.
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
  /** The peer whose own wait leaves the event out; null when it is nobody's doing. */
  readonly causedBy: string | null;
  readonly afterClosing?: boolean | undefined;
  /** The peers that it is for; everyone by default. */
  readonly reaches?: readonly string[] | undefined;
  /** The message that it is about. */
  readonly replyTo?: number | undefined;
  /** `now` wakes everyone whom it is for, as chat does; `low` ends no wait, except the convener's (DELIVER-4). */
  readonly priority?: "now" | "low" | undefined;
  /** The message's id; by default a new one. */
  readonly id?: string | undefined;
}

/** An event, ready to be appended. */
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

/** 16 random bytes in hexadecimal, from bytes that are drawn for many at once: a draw costs more than the rest of a post's row. */
function newSalt(): string {
  if (drawnAt === drawn.length) {
    drawn = randomBytes(saltBytes * 256);
    drawnAt = 0;
  }
  const salt = drawn.toString("hex", drawnAt, drawnAt + saltBytes);
  // Salt that was given out is in no dump of this memory afterwards.
  drawn.fill(0, drawnAt, drawnAt + saltBytes);
  drawnAt += saltBytes;
  return salt;
}

/** The id of a message: what its key stands for, and without a key one of its own (FEED-5). */
export function messageId(
  sessionId: string,
  peerId: string,
  operation: "post_message" | "send_message",
  idempotencyKey: string | undefined,
): string {
  if (idempotencyKey === undefined) return timeOrdered(randomUUID());
  return messageIdFrom({ sessionId, peerId, operation, idempotencyKey }, sha256);
}

/** The same parts give the same uuid. */
export function idFrom(parts: readonly string[]): string {
  return uuidFromDigest(sha256(JSON.stringify(parts)));
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

/** A row that was appended, with the place in its feed that it got. */
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

/** A stored message as callers see it (FEED-8): an event's fields stand at the top level too. */
export function toMessage(stored: StoredMessage): Message {
  const content: Record<string, unknown> = JSON.parse(stored.content);
  const message: Message = {
    ...toMessageHead({ ...stored, posted_at: stored.posted_at.toISOString() }),
    content,
    // The salt of a private one that was imported never came here, and nothing of it was removed.
    ...(stored.redaction && content["redacted"] === true && { redaction: toRedaction(stored.redaction) }),
  };
  return stored.type === "system" ? { ...message, ...content } : message;
}

export function toRedaction({ sequence, content }: RedactionEvent): Redaction {
  return { ...saidOf(contentOf(content)), sequence };
}

/** Returns the content of an event; nothing where it was damaged in the database, which must not keep others from being read. */
export function contentOf(stored: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(stored));
  } catch {
    return {};
  }
}

/**
 * A message as one reader may see it. A private one is whole for the two peers whom it concerns alone; for everybody else it
 * says who wrote to whom, when, and how long (SEALED-3).
 */
export function toMessageFor(stored: StoredMessage, peerId: string | null): Message {
  const message = toMessage(stored);
  const isConcerned =
    peerId !== null && (stored.posted_by_peer_id === peerId || stored.reaches?.includes(peerId));
  return isConcerned ? message : withoutSealed(message);
}

/** Returns a message as everybody sees it: a private one without its text. */
export function withoutSealed(message: Message): Message {
  const { sealed } = message.content;
  if (message.content["private"] !== true || typeof sealed !== "string") return message;
  return { ...message, content: { private: true, bytes: sealedBytes(sealed) } };
}
