import { isRedacted, type Message, sealedBytes } from "@merkle/wire";

/** A private message without its text. */
export function asStub(message: Message): Message {
  const { private: isPrivate, sealed, bytes } = message.content;
  if (isPrivate !== true || isRedacted(message)) return message;
  return withContent(message, { bytes: typeof sealed === "string" ? sealedBytes(sealed) : bytes });
}

/** A private message with this content. */
export function withContent(message: Message, content: Readonly<Record<string, unknown>>): Message {
  return { ...message, content: { private: true, ...content } };
}
