import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import { hasProc } from "@merkle/db/files";

/** The `nice` value of V8's helper threads, so that they yield to the main thread. */
const priority = 10;
/**
 * Number of V8's helper threads: four worker threads (--v8-pool-size) and one thread for their timers. Node
 * creates them directly after the main thread.
 */
const count = 5;

/**
 * Lowers the priority of the threads in which V8 compiles and collects garbage. V8 starts four of them
 * regardless of the number of processors. On a small machine under load, these threads would delay replies by
 * tens of milliseconds. Works only on Linux, where threads have their own priorities. Elsewhere, or without
 * permission, nothing changes.
 */
export function lowerHelperThreads(): void {
  if (!hasProc()) return;
  try {
    const threads = readdirSync("/proc/self/task").map(Number);
    const helpers = threads.filter((id) => id > process.pid).sort((one, other) => one - other);
    for (const id of helpers.slice(0, count)) setPriority(id, priority);
  } catch {
    // Without /proc or the required permission, the priorities stay as they are.
  }
}
