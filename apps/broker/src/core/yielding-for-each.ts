import { performance } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Nobody who asks for something meanwhile notices so short a while. */
const turnMs = 2;

/**
 * Does something with each of many, over as many turns of the event loop as it takes. What is added to a Set meanwhile has
 * its turn, too, and what is taken from it has none.
 */
export async function yieldingForEach<Each>(many: Iterable<Each>, work: (each: Each) => void): Promise<void> {
  let turnEnds = performance.now() + turnMs;
  for (const each of many) {
    work(each);
    if (performance.now() < turnEnds) continue;
    await nextTurn();
    turnEnds = performance.now() + turnMs;
  }
}
