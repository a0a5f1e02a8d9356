/** At most so many unread messages are counted (READ-2). */
export const unreadCountedMax = 1_000;

/** What is new to a reader, in the same words everywhere: `4 new`, `1,000+ new`, and nothing where nothing is. */
export function unreadText(unread: number | null): string {
  if (unread === null || unread === 0) return "";
  return `${unread.toLocaleString("en")}${unread >= unreadCountedMax ? "+" : ""} new`;
}
