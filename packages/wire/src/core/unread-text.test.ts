import { expect, it } from "vitest";
import { formatAgentUnread, formatUnread } from "./unread-text.js";

it("[DASH-370] a count of unread messages is exact, or says that there are more", () => {
  expect([formatUnread(null), formatUnread(0), formatUnread(4), formatUnread(999)]).toEqual([
    "",
    "",
    "4 new",
    "999 new",
  ]);
  expect(formatUnread(1_000)).toBe("1,000+ new");
  expect([formatAgentUnread(0), formatAgentUnread(99), formatAgentUnread(100)]).toEqual([
    "",
    "99 unread",
    "100+ unread",
  ]);
});
