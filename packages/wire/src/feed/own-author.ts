import type { Message } from "./message.js";

/** No message that arrives as JSON can have this mark, so only the program that checked a message can set it. */
const ownAuthor = Symbol("own author");

/** Returns a message marked as the words of the reader's own user, after its signature has been checked (OWN-6). */
export function withOwnAuthor(message: Message, name: string): Message {
  return Object.assign({ ...message }, { [ownAuthor]: name });
}

/** Returns the name of the reader's own user if the message is marked as that user's words. */
export function findOwnAuthor(message: Message): string | undefined {
  const name: unknown = Reflect.get(message, ownAuthor);
  return typeof name === "string" ? name : undefined;
}
