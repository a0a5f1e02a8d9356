import { expect, it } from "vitest";
import { describeAge } from "./age";

const now = new Date(2026, 10, 21, 12, 0, 0);
const before = (seconds: number) => describeAge(new Date(now.getTime() - seconds * 1000), now);

it("tells an age in one unit, and from a week on the date", () => {
  expect(before(-30)).toBe("just now");
  expect(before(4)).toBe("just now");
  expect(before(59)).toBe("59 s ago");
  expect(before(119)).toBe("1 min ago");
  expect(before(3600)).toBe("1 h ago");
  expect(before(6 * 86_400)).toBe("6 d ago");
  expect(describeAge(new Date(2026, 4, 2), now)).toBe("2 May");
  expect(describeAge(new Date(2025, 4, 2), now)).toBe("2 May 2025");
});
