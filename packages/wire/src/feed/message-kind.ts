import type { Message } from "./message.js";

/** Returns the kind of a message, as given in its content. */
export function findMessageKind({ type, content }: Pick<Message, "type" | "content">): string | null {
  const kind = content[toKindField(type)];
  return typeof kind === "string" ? kind : null;
}

/** Returns the field of a message's content that contains its kind. */
export function toKindField(type: Message["type"]): "event" | "kind" {
  return type === "system" ? "event" : "kind";
}
