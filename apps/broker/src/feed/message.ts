import { hash, randomUUID } from "node:crypto";
import type { MessageRow, StoredMessage } from "@merkle/db";
import { canonicalJson, type Message, type SystemEvent } from "@merkle/wire";

/** Who a message is from. */
export interface Author {
  readonly teamId: string;
  readonly peerId: string;
  readonly team: string;
  readonly human: boolean;
}

/** A chat message, ready to be appended. */
export function chatRow(
  sessionId: string,
  id: string,
  author: Author,
  content: { text: string },
): MessageRow {
  return {
    session_id: sessionId,
    id,
    type: "chat",
    team_id: author.teamId,
    peer_id: author.peerId,
    author_team: author.team,
    author_peer: null,
    author_human: author.human,
    recipients: ["*"],
    priority: "next",
    reply_to: null,
    content: canonicalJson(content),
    salt: newSalt(),
    after_closing: false,
  };
}

/** An event, ready to be appended. `causedBy` is the peer whose own wait leaves it out. */
export function systemRow(
  sessionId: string,
  event: SystemEvent,
  options: { causedBy: string; afterClosing: boolean },
): MessageRow {
  return {
    session_id: sessionId,
    id: randomUUID(),
    type: "system",
    team_id: null,
    peer_id: options.causedBy,
    author_team: null,
    author_peer: null,
    author_human: false,
    recipients: ["*"],
    priority: "next",
    reply_to: null,
    content: canonicalJson(event),
    salt: newSalt(),
    after_closing: options.afterClosing,
  };
}

/**
 * 16 random bytes in hexadecimal. Taken from the parts of two uuids that are random through and through: those are cut
 * from bytes drawn in advance, where drawing for each message would be the dearest part of posting it.
 */
function newSalt(): string {
  const uuid = randomUUID();
  return uuid.slice(0, 8) + uuid.slice(24) + randomUUID().slice(24);
}

/**
 * The id of the message that a key stands for: the same session, peer and key give the same id, so that sending it again
 * finds the first message (FEED-5). Without a key the id is random.
 */
export function messageId(sessionId: string, peerId: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return randomUUID();
  return toUuid(hash("sha256", JSON.stringify([sessionId, peerId, idempotencyKey]), "hex"));
}

/** A uuid of version 8, the one for ids of a maker's own (RFC 9562, section 5.8), from at least 32 random digits. */
function toUuid(hex: string): string {
  const variant = "89ab"[Number.parseInt(hex.charAt(16), 16) % 4];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A stored row as it was before it had a place in its feed, now with that place. */
export function toStoredMessage(row: MessageRow, place: { sequence: number; postedAt: Date }): StoredMessage {
  return {
    sessionId: row.session_id,
    sequence: place.sequence,
    id: row.id,
    type: row.type,
    postedByTeamId: row.team_id,
    postedByPeerId: row.peer_id,
    authorTeam: row.author_team,
    authorPeer: row.author_peer,
    authorHuman: row.author_human,
    recipients: row.recipients,
    priority: row.priority,
    replyTo: row.reply_to,
    content: row.content,
    postedAt: place.postedAt,
  };
}

/** A stored message as callers see it (FEED-8): an event's fields stand at the top level too. */
export function toMessage(stored: StoredMessage): Message {
  const content: Record<string, unknown> = JSON.parse(stored.content);
  const message: Message = {
    id: stored.id,
    session_id: stored.sessionId,
    sequence: stored.sequence,
    type: stored.type,
    posted_by_team_id: stored.postedByTeamId,
    from:
      stored.authorTeam === null
        ? null
        : {
            team: stored.authorTeam,
            ...(stored.authorPeer === null ? {} : { peer: stored.authorPeer }),
            human: stored.authorHuman,
          },
    to: [...stored.recipients],
    priority: stored.priority,
    ...(stored.replyTo === null ? {} : { reply_to: stored.replyTo }),
    content,
    posted_at: stored.postedAt.toISOString(),
  };
  return stored.type === "system" ? { ...message, ...content } : message;
}
