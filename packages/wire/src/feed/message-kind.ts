import type { Message } from "./message.js";

/** The kind of a message, as its content says it. */
export function kindOf({ type, content }: Pick<Message, "type" | "content">): string | null {
  const kind = content[kindName(type)];
  return typeof kind === "string" ? kind : null;
}

/** Where the content of a message names its kind. */
export function kindName(type: Message["type"]): "event" | "kind" {
  return type === "system" ? "event" : "kind";
}
