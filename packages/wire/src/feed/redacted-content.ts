import { sealedBytes } from "../identity/sealed-form.js";
import type { Message } from "./message.js";
import { kindName } from "./message-kind.js";

/**
 * What stays of a message's content when its text is removed: that it was, and what its entry is made from. Without these
 * the entry would be another, and the proofs would no longer hold.
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
