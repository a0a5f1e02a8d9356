import type { AgentOptions, RunnableJob, RunnerFacts, RunResult } from "@merkle/broker";

/** An agent that a test plays: it ends when the test says so, or when it is told to. */
export interface FakeRun {
  readonly job: RunnableJob;
  /** Aborted when the broker wants it to end. */
  readonly signal: AbortSignal;
  end(result: Partial<RunResult>): void;
}

export interface FakeRunner {
  readonly agent: Pick<AgentOptions, "startRunner" | "name">;
  /** The next run that was begun; each is given out once. */
  next(): Promise<FakeRun>;
  /** How many were begun in all. */
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
