import { formatNumber } from "./format-number.js";

/** A person's unread messages are counted up to this number (READ-2). */
export const unreadCountedMax = 1_000;

/** An agent's unread messages are counted up to this number (PEER-19). */
export const agentUnreadCountedMax = 100;

/** Formats the number of unread messages, up to which the broker counts: `4 new`, `1,000+ new`, or an empty string. */
export function formatUnread(unread: number | null, countedMax = unreadCountedMax, word = "new"): string {
  return unread ? `${formatNumber(unread)}${unread >= countedMax ? "+" : ""} ${word}` : "";
}

/** Formats the number of messages that an agent has not read: `4 unread`, `100+ unread`, or an empty string. */
export function formatAgentUnread(unread: number): string {
  return formatUnread(unread, agentUnreadCountedMax, "unread");
}
