import { expect, it } from "vitest";
import { describeAge, describeDuration, describeMoment } from "./describe-time";

const now = new Date(2026, 10, 21, 12, 0, 0);
const before = (seconds: number) => describeAge(new Date(now.getTime() - seconds * 1000), now);

it("[DASH-20] an age is told in one unit, and from a week on as the date", () => {
  expect(before(-30)).toBe("now");
  expect(before(4)).toBe("now");
  expect(before(59)).toBe("59 s");
  expect(before(119)).toBe("1 min");
  expect(before(3600)).toBe("1 h");
  expect(before(6 * 86_400)).toBe("6 d");
  expect(describeAge(new Date(2026, 4, 2), now)).toBe("2 May");
  expect(describeAge(new Date(2025, 4, 2), now)).toBe("2 May 2025");
  expect(describeDuration(32.9)).toBe("32 s");
});

it("[DASH-20] a moment of another day has its date, in the zone that was asked for", () => {
  expect(describeMoment(new Date(2026, 10, 21, 9, 5, 7), now)).toBe("09:05:07");
  expect(describeMoment(new Date("2026-05-02T14:02:10.000Z"), now, "utc")).toBe("2 May 14:02:10");
});
