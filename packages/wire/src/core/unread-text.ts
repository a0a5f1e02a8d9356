/** A person's unread messages are counted up to this number (READ-2). */
export const unreadCountedMax = 1_000;

/** An agent's unread messages are counted up to this number (PEER-19). */
export const agentUnreadCountedMax = 100;

/** Formats a count that the broker caps: `4`, or `100+` if there may be more. */
export function formatCappedCount(count: number, countedMax: number): string {
  return `${count.toLocaleString("en")}${count >= countedMax ? "+" : ""}`;
}

/** Formats a person's unread messages: `4 new`, `1,000+ new`, or an empty string. */
export function formatUnread(unread: number | null): string {
  if (unread === null || unread === 0) return "";
  return `${formatCappedCount(unread, unreadCountedMax)} new`;
}

/** Formats an agent's unread messages: `4 unread`, `100+ unread`, or an empty string. */
export function formatAgentUnread(unread: number): string {
  return unread === 0 ? "" : `${formatCappedCount(unread, agentUnreadCountedMax)} unread`;
}
