import { afterAll } from "vitest";
import type { Cleanup } from "./test-database.js";

/**
 * Collects what is to be done when the file, or the group of tests around the call, has ended; the last first. To be called
 * outside of hooks and tests: what a hook hands to `afterAll` after its first await is never run.
 */
export function atEnd(): Cleanup {
  const runs: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const run of runs.reverse()) await run();
  });
  return (run) => {
    runs.push(run);
  };
}
