import { findEventKind, findMessageKind, type Message, type WakePreference, wakes } from "@merkle/wire";

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

/**
 * When to nudge an idle agent for a message: immediately; after a few seconds, in which another message
 * usually follows; once the conversation has paused; after minutes, if nothing else has by then; or not at all.
 */
export type NudgeTime = "now" | "soon" | "after a pause" | "later" | "never";

/** The peer that may be nudged, as far as the rule depends on it. */
export interface NudgedPeer {
  readonly team: string;
  /** Null for a team's unnamed peer. */
  readonly name: string | null;
  readonly groups: readonly string[];
  readonly wake: WakePreference;
  /** The number of other agents that are online in the session. */
  readonly othersOnline: number;
}

/**
 * Returns when to nudge an idle peer for an unread message (DELIVER-4). Agents' chat to everyone waits for a
 * pause, because each of its messages would otherwise cost every agent of the session a turn.
 *
 * @param readPeer - called only for messages whose time depends on the peer
 */
export function findNudgeTime(message: Message, readPeer: () => NudgedPeer): NudgeTime {
  if (!wakes(message)) return "never";
  if (message.type === "system") {
    if (message.priority === "low") return "later";
    return findEventKind(message.event)?.hasFollowUp ? "soon" : "now";
  }
  if (breaksThrough(message) || !isForEveryone(message)) return "now";
  if (findMessageKind(message) !== null) return "now";
  const peer = readPeer();
  if (peer.othersOnline <= 1 || mentions(message, peer)) return "now";
  return peer.wake === "addressed" ? "never" : "after a pause";
}

/** Returns whether the text contains `@` and a name that addresses the peer, in any case. */
function mentions({ content: { text } }: Message, { team, name, groups }: NudgedPeer): boolean {
  if (typeof text !== "string" || !text.includes("@")) return false;
  const names = [
    team,
    ...(name === null ? [] : [name, `${team}/${name}`]),
    ...groups.flatMap(listGroupNames),
  ];
  const folded = text.toLowerCase();
  return names.some((each) => containsWord(folded, `@${each.toLowerCase()}`));
}

/** Returns the names that reach a member of the group: the group, and the groups that contain it (SEND-5). */
function listGroupNames(group: string): string[] {
  const parts = group.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** Returns whether a text contains the word without being part of a longer name or an email address. */
function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const isStart = !/[\p{L}\p{N}]$/u.test(text.slice(0, at));
    const isEnd = !/^(?:[\p{L}\p{N}_]|[-/.][\p{L}\p{N}])/u.test(text.slice(at + word.length));
    if (isStart && isEnd) return true;
  }
  return false;
}
