import type { Message } from "@merkle/wire";

/** Whether the message also wakes a peer that must not be disturbed. */
export function breaksThrough(message: Message): boolean {
  return message.type === "chat" && message.priority === "now";
}

/** Whether the message addresses everyone, so replies from others are likely to follow soon. */
export function isForEveryone({ to, from }: Message): boolean {
  return to.includes("*") && from?.human !== true;
}
