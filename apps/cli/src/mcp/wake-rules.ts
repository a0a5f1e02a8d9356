import type { Message } from "@merkle/wire";

/** Returns whether the message wakes even a peer that must not be disturbed. */
export function breaksThrough(message: Message): boolean {
  return message.type === "chat" && message.priority === "now";
}

/**
 * Returns whether the message addresses everyone, in which case replies from others are likely to follow
 * soon.
 */
export function isForEveryone({ to, from }: Message): boolean {
  return to.includes("*") && from?.human !== true;
}
