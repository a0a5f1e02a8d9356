import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { hasProc } from "@merkle/db/files";

/** The priority, as `nice` counts it, by which the engine's threads give way to the one that runs our code. */
const priority = 10;
/** Node makes them before any other, right behind the first: four that work and one that keeps their time (--v8-pool-size). */
const count = 5;

/**
 * Has the threads in which the engine compiles and collects garbage give way to the one that answers. There are four of them
 * however many processors there are, and on a small machine they would hold it up for tens of milliseconds whenever it has
 * much to do. Only on Linux, where threads have priorities of their own; elsewhere, and where it is not allowed, nothing changes.
 */
export function lowerHelperThreads(): void {
  if (!hasProc()) return;
  try {
    const threads = readdirSync("/proc/self/task").map(Number);
    const helpers = threads.filter((id) => id > process.pid).sort((one, other) => one - other);
    for (const id of helpers.slice(0, count)) setPriority(id, priority);
  } catch {
    // Without /proc, or with none of the rights: as fast as the system lets it.
  }
}
