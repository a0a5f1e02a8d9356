import { sealedBytes } from "../identity/sealed-form.js";
import type { Message, Redaction } from "./message.js";
import { kindName } from "./message-kind.js";

/** The removal of a message's text, as somebody who holds it learns of it from the event: enough to forget the text (REDACT-5). */
export interface RedactedMessage {
  readonly sequence: number;
  readonly redaction: Redaction;
}

/** The message that an event says was redacted; null for every other message. */
export function redactedBy({ event, content, sequence }: Message): RedactedMessage | null {
  const redacted = content["redacted_sequence"];
  if (event !== "message_redacted" || typeof redacted !== "number") return null;
  return { sequence: redacted, redaction: { ...saidOf(content), sequence } };
}

/** The versions of the document that an event says were redacted; null for every other message. */
export function redactedVersions({
  event,
  content,
}: Pick<Message, "event" | "content">): { readonly from: number; readonly to: number } | null {
  const versions = content["document_versions"];
  if (event !== "message_redacted" || typeof versions !== "object" || versions === null) return null;
  const { from, to }: { from?: unknown; to?: unknown } = versions;
  return typeof from === "number" && typeof to === "number" ? { from, to } : null;
}

/** Reads the author, time and reason of a redaction from its event: nothing once that was redacted, too. */
export function saidOf({ by, at, reason }: Message["content"]): Omit<Redaction, "sequence"> {
  const text = (value: unknown) => (typeof value === "string" ? value : null);
  return { by: text(by), at: text(at), reason: text(reason) };
}

/** Whether a message has lost its text. Nobody can post a content that says so. */
export function isRedacted({ content }: Pick<Message, "content">): boolean {
  return content["redacted"] === true;
}

/** A message as it is read from then on: its place, author and kind stay, and how long a private one was. */
export function withoutText(message: Message, redaction: Redaction): Message {
  const { id, session_id, sequence, type, posted_by_team_id, from, to, priority, reply_to, posted_at } =
    message;
  const content = redactedContent(message);
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
 * Returns the rest of a message's content once its text is removed: that it was removed, and what its entry is made from.
 * Without these the entry would be another, and the proofs would no longer hold.
 */
export function redactedContent({
  type,
  content,
}: Pick<Message, "type" | "content">): Record<string, unknown> {
  const name = kindName(type);
  const bytes = privateBytes(content);
  return {
    ...(typeof content[name] === "string" ? { [name]: content[name] } : {}),
    ...(bytes === null ? {} : { private: true, bytes }),
    redacted: true,
  };
}

/** How long a private message is, whole, as others see it, or without its text; null for any other. */
export function privateBytes(content: Message["content"]): number | null {
  const { private: isPrivate, sealed, bytes } = content;
  if (isPrivate !== true) return null;
  if (typeof sealed === "string") return sealedBytes(sealed);
  return typeof bytes === "number" ? bytes : null;
}
