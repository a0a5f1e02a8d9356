import { countSealedBytes } from "../identity/sealed-form.js";
import type { Message, Redaction } from "./message.js";
import { toKindField } from "./message-kind.js";

/**
 * The facts about a message's redaction that its event reports. They are enough for a client to delete its
 * copy of the text (REDACT-5).
 */
export interface RedactedMessage {
  readonly sequence: number;
  readonly redaction: Redaction;
}

/** A range of document versions, both ends included. */
export interface VersionRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the redacted message that an event reports. Returns null for any other message. */
export function findRedactedMessage({ event, content, sequence }: Message): RedactedMessage | null {
  const redacted = content["redacted_sequence"];
  if (event !== "message_redacted" || typeof redacted !== "number") return null;
  return { sequence: redacted, redaction: { ...toRedactionFields(content), sequence } };
}

/**
 * Returns the range of redacted document versions that an event reports. Returns null for any other message.
 */
export function findRedactedVersions({
  event,
  content,
}: Pick<Message, "event" | "content">): VersionRange | null {
  const versions = content["document_versions"];
  if (event !== "message_redacted" || typeof versions !== "object" || versions === null) return null;
  const { from, to }: { from?: unknown; to?: unknown } = versions;
  return typeof from === "number" && typeof to === "number" ? { from, to } : null;
}

/**
 * Reads the author, time and reason of a redaction from its event. They are null if that event was redacted
 * as well.
 */
export function toRedactionFields({ by, at, reason }: Message["content"]): Omit<Redaction, "sequence"> {
  const toText = (value: unknown) => (typeof value === "string" ? value : null);
  return { by: toText(by), at: toText(at), reason: toText(reason) };
}

/** Returns true if the text of a message was removed. Clients cannot post a message with this mark. */
export function isRedacted({ content }: Pick<Message, "content">): boolean {
  return content["redacted"] === true;
}

/**
 * Returns a message as it is after its redaction. Its position, author and kind stay, as does the length of a
 * private message.
 */
export function withoutText(message: Message, redaction: Redaction): Message {
  const { id, session_id, sequence, type, posted_by_team_id, from, to, priority, reply_to, posted_at } =
    message;
  const content = toRedactedContent(message);
  return {
    id,
    session_id,
    sequence,
    type,
    posted_by_team_id,
    from,
    to,
    priority,
    ...(reply_to === undefined ? {} : { reply_to }),
    content,
    posted_at,
    ...(type === "system" ? content : {}),
    redaction,
  };
}

/**
 * Returns the part of a message's content that remains after a redaction: the mark, and the fields that the
 * record's entry depends on. Without these fields, the entry would change, and proofs would fail.
 */
export function toRedactedContent({
  type,
  content,
}: Pick<Message, "type" | "content">): Record<string, unknown> {
  const name = toKindField(type);
  const bytes = findPrivateBytes(content);
  return {
    ...(typeof content[name] === "string" ? { [name]: content[name] } : {}),
    ...(bytes === null ? {} : { private: true, bytes }),
    redacted: true,
  };
}

/**
 * Returns the length of a private message, whether its content is complete, reduced to what everyone may see,
 * or redacted. Returns null for any other message.
 */
export function findPrivateBytes(content: Message["content"]): number | null {
  const { private: isPrivate, sealed, bytes } = content;
  if (isPrivate !== true) return null;
  if (typeof sealed === "string") return countSealedBytes(sealed);
  return typeof bytes === "number" ? bytes : null;
}
