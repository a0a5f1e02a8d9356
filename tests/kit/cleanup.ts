import { afterAll } from "vitest";
import type { Cleanup } from "./test-database.js";

/**
 * Collects functions to run when the test file, or the enclosing `describe`, has ended. The last function runs first.
 * Call this outside hooks and tests: if a hook calls `afterAll` after its first await, the passed function never runs.
 */
export function createCleanup(): Cleanup {
  const runs: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const run of runs.reverse()) await run();
  });
  return (run) => {
    runs.push(run);
  };
}
