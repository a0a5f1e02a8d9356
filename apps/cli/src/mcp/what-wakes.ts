import { findEventKind, type Message } from "@merkle/wire";

/**
 * Whether a message is worth a turn of the model's, or a place in the one that runs: what somebody says, unless it is of
 * low priority, and the end of the session. Everything else comes along with the next of these (WAKE-2).
 */
export function wakes({ type, priority, event }: Message): boolean {
  return type === "chat" ? priority !== "low" : findEventKind(event)?.wakes === "agents";
}

/** Whether it wakes also a peer that does not want to be disturbed. */
export function breaksThrough(message: Message): boolean {
  return message.type === "chat" && message.priority === "now";
}

/** Whether it ends a wait that blocks: the model waits for just this, and for changes of the state that it watches. */
export function endsWait(message: Message): boolean {
  return wakes(message) || findEventKind(message.event)?.wakes === "waits";
}

/** Whether nobody in particular is meant, so that more is likely to follow at once. */
export function isForEveryone({ to, from }: Message): boolean {
  return to.includes("*") && from?.human !== true;
}
