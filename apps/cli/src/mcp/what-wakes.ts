import type { Message } from "@merkle/wire";

/** Whether it wakes also a peer that does not want to be disturbed. */
export function breaksThrough(message: Message): boolean {
  return message.type === "chat" && message.priority === "now";
}

/** Whether nobody in particular is meant, so that more is likely to follow at once. */
export function isForEveryone({ to, from }: Message): boolean {
  return to.includes("*") && from?.human !== true;
}
