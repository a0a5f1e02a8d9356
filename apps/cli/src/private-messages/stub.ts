import { isRedacted, type Message, sealedBytes } from "@merkle/wire";

/** A private message without anything in it. */
export function asStub(message: Message): Message {
  const { private: isPrivate, sealed, bytes } = message.content;
  if (isPrivate !== true || isRedacted(message)) return message;
  return withContent(message, { bytes: typeof sealed === "string" ? sealedBytes(sealed) : bytes });
}

/** The message with that of it which is private in the place of its content. */
export function withContent(message: Message, content: Readonly<Record<string, unknown>>): Message {
  return { ...message, content: { private: true, ...content } };
}
