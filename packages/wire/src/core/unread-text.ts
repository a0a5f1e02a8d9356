/** Unread messages are counted up to this number (READ-2). */
export const unreadCountedMax = 1_000;

/** Formats the number of unread messages: `4 new`, `1,000+ new`, or an empty string. */
export function formatUnread(unread: number | null): string {
  if (unread === null || unread === 0) return "";
  return `${unread.toLocaleString("en")}${unread >= unreadCountedMax ? "+" : ""} new`;
}
