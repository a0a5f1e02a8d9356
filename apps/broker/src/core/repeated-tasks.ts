import type { Log } from "./log.js";

/** Runs the broker's periodic background tasks, and records which of them keep failing (OPS-2). */
export interface RepeatedTasks {
  /** The names of the tasks whose last three runs have failed. */
  readonly failing: readonly string[];
  /** Runs `work` every `everyMs`. Returns a function that stops this. */
  repeat(name: string, everyMs: number, work: () => Promise<unknown>): () => void;
  /** Runs `work` once, as a run of the task with this name. Never rejects: failures are logged. */
  run(name: string, work: () => Promise<unknown>): Promise<void>;
  /** Stops logging failures. A task that loses the database while the broker is stopping has not failed. */
  stop(): void;
}

const failuresMax = 3;

export function createRepeatedTasks(log: Log): RepeatedTasks {
  const failures = new Map<string, number>();
  let isStopped = false;

  async function run(name: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
      if (isFailing(name)) log.info("a repeated task succeeded again", { task: name });
      failures.delete(name);
    } catch (error) {
      if (isStopped) return;
      const inARow = (failures.get(name) ?? 0) + 1;
      failures.set(name, inARow);
      log.warn("a repeated task failed; its next run tries again", { task: name, in_a_row: inARow, error });
    }
  }

  function isFailing(name: string): boolean {
    return (failures.get(name) ?? 0) >= failuresMax;
  }

  return {
    get failing() {
      return [...failures.keys()].filter(isFailing).sort();
    },
    repeat(name, everyMs, work) {
      const interval = setInterval(() => void run(name, work), everyMs);
      return () => clearInterval(interval);
    },
    run,
    stop() {
      isStopped = true;
    },
  };
}
