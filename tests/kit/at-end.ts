import { afterAll } from "vitest";
import type { Cleanup } from "./test-database.js";

/**
 * Collects functions to run when the file, or the enclosing group of tests, has ended; the last first. Call
 * it outside hooks and tests: a function that a hook passes to `afterAll` after its first await never runs.
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
