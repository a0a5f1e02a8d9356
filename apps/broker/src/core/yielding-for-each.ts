import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Duration of one slice of work, short enough that other requests are not noticeably delayed. */
const turnMs = 2;

/**
 * Visits every item, yielding to the event loop between slices. Items added to a Set during the visit are visited, and
 * removed items are not.
 */
export async function forEachYielding<Each>(many: Iterable<Each>, work: (each: Each) => void): Promise<void> {
  let turnEnds = performance.now() + turnMs;
  for (const each of many) {
    work(each);
    if (performance.now() < turnEnds) continue;
    await nextTurn();
    turnEnds = performance.now() + turnMs;
  }
}
