import { performance } from "node:perf_hooks";

/** Runs work at most once per interval. Calls in between are skipped and counted. */
export type RateLimited = (work: (leftOut: number) => void) => void;

export function createRateLimited(everyMs: number): RateLimited {
  let doneAt = Number.NEGATIVE_INFINITY;
  let leftOut = 0;
  return (work) => {
    const now = performance.now();
    if (now - doneAt < everyMs) {
      leftOut += 1;
      return;
    }
    doneAt = now;
    work(leftOut);
    leftOut = 0;
  };
}
