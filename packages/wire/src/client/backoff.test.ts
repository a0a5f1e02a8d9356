import { expect, it } from "vitest";
import { computeBackoffMs } from "./backoff.js";

it("[CLIENT-1] the longest pause doubles from 100 ms to 10 s, and the pause is anything below it", () => {
  const longest = [0, 1, 2, 6, 7, 50].map((attempt) => computeBackoffMs(attempt, {}, () => 1));
  expect(longest).toEqual([100, 200, 400, 6_400, 10_000, 10_000]);
  expect(computeBackoffMs(3, {}, () => 0)).toBe(0);
  expect(computeBackoffMs(3, {}, () => 0.5)).toBe(400);
  expect(computeBackoffMs(3, { baseMs: 1, capMs: 5 }, () => 1)).toBe(5);
});
