import { expect, it, onTestFinished, vi } from "vitest";
import { createRateLimited } from "./rate-limited.js";

it("[GUARD-10] what happens again and again is told at most so often, and how often it was not", () => {
  const now = vi.spyOn(performance, "now");
  onTestFinished(() => now.mockRestore());
  const told: number[] = [];
  const rateLimited = createRateLimited(1_000);
  for (const at of [0, 1, 999, 1_000, 5_000, 5_500, 6_100]) {
    now.mockReturnValue(at);
    rateLimited((leftOut) => told.push(leftOut));
  }
  expect(told).toEqual([0, 2, 0, 1]);
});
