import type { JobAgentOptions, RunnableJob, RunnerFacts, RunResult } from "@merkle/broker";

/** An agent's run that a test controls. The run ends when the test calls `end`, or when `signal` is aborted. */
export interface FakeRun {
  readonly job: RunnableJob;
  /** Aborted when the broker wants the agent to end. */
  readonly signal: AbortSignal;
  end(result: Partial<RunResult>): void;
}

export interface FakeRunner {
  readonly agent: Pick<JobAgentOptions, "startRunner" | "name">;
  /** Returns the next run that has started. Each run is returned once. */
  next(): Promise<FakeRun>;
  /** Total number of runs started. */
  readonly begun: number;
}

export function createFakeRunner(name = "a runner", describe?: () => Promise<RunnerFacts>): FakeRunner {
  const begun: FakeRun[] = [];
  const waiting: ((run: FakeRun) => void)[] = [];
  let count = 0;

  function run(signal: AbortSignal, job: RunnableJob): Promise<RunResult> {
    count += 1;
    return new Promise((resolve) => {
      const end: FakeRun["end"] = (result) =>
        resolve({ exit_code: 0, error_tail: "", error: null, ...result });
      const stop = () => end({ exit_code: 143 });
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      const each = { job, signal, end };
      const taker = waiting.shift();
      if (taker) taker(each);
      else begun.push(each);
    });
  }

  return {
    agent: { startRunner: async () => ({ run, ...(describe && { describe }) }), name },
    next() {
      const [first] = begun.splice(0, 1);
      return first ? Promise.resolve(first) : new Promise((resolve) => waiting.push(resolve));
    },
    get begun() {
      return count;
    },
  };
}
