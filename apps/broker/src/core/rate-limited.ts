import { performance } from "node:perf_hooks";

/** Runs work at most once per interval. Calls in between are skipped and counted. */
export type RateLimitedRunner = (work: (skippedCount: number) => void) => void;

export function createRateLimited(everyMs: number): RateLimitedRunner {
  let lastRunAt = Number.NEGATIVE_INFINITY;
  let skippedCount = 0;
  return (work) => {
    const now = performance.now();
    if (now - lastRunAt < everyMs) {
      skippedCount += 1;
      return;
    }
    lastRunAt = now;
    work(skippedCount);
    skippedCount = 0;
  };
}
