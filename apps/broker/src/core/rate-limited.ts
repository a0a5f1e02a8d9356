import { performance } from "node:perf_hooks";

/** Does something at most so often; what came in between was left out, and is counted. */
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
