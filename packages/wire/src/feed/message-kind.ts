import type { Message } from "./message.js";

/** Returns the kind of a message, as given in its content. */
export function kindOf({ type, content }: Pick<Message, "type" | "content">): string | null {
  const kind = content[kindName(type)];
  return typeof kind === "string" ? kind : null;
}

/** Returns the field of a message's content that contains its kind. */
export function kindName(type: Message["type"]): "event" | "kind" {
  return type === "system" ? "event" : "kind";
}
