import { limits } from "@merkle/wire/limits";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withTimeout } from "./with-timeout.js";

// Fake timers, because the tests check exactly when the timeout occurs.
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("[FEED-7] [LIMIT-1] an answer counts up to silentDatabaseMsMax, and after that the outcome is told", async () => {
  const { silentDatabaseMsMax: max } = limits;
  for (const [answeredAfter, expected] of [
    [max - 1, "answer"],
    [max, "answer"],
    [max + 1, "unavailable"],
  ] as const) {
    const work = new Promise<string>((resolve) => setTimeout(resolve, answeredAfter, "answer"));
    const outcome = withTimeout(work, max, "unknown").catch((error: { code: string }) => error.code);
    await vi.advanceTimersByTimeAsync(max + 1);
    expect(await outcome, `${answeredAfter} ms`).toBe(expected);
  }
});
