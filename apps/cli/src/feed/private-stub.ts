import { countSealedBytes, isRedacted, type Message } from "@merkle/wire";

/** Replaces the encrypted text of a private message with its size. Returns other messages unchanged. */
export function toStub(message: Message): Message {
  const { private: isPrivate, sealed, bytes } = message.content;
  if (isPrivate !== true || isRedacted(message)) return message;
  return withContent(message, { bytes: typeof sealed === "string" ? countSealedBytes(sealed) : bytes });
}

/** Returns the private message with its content replaced. */
export function withContent(message: Message, content: Readonly<Record<string, unknown>>): Message {
  return { ...message, content: { private: true, ...content } };
}
