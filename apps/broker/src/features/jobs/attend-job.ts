import { setTimeout as delay } from "node:timers/promises";
import type { EndedBecause } from "./outcome.js";
import type { RunnableJob, Runner, RunResult } from "./runner.js";

/** A claimed job whose agent is about to run, on the broker or on another machine. */
export interface ClaimedJob {
  readonly runner: Runner;
  /** Returns the job in the form passed to the runner. Called once. */
  describe(): Promise<RunnableJob>;
  readonly timeoutMs: number;
  readonly lease: Lease;
  /**
   * Stores the result of the run. The lease is renewed until the promise resolves, unless the run was
   * stopped from outside.
   */
  end(result: RunResult, because: EndedBecause | null): Promise<void>;
}

export interface Lease {
  /** Duration of the lease after each renewal, in milliseconds. */
  readonly ms: number;
  /** When the lease expires, in `performance.now()` time. */
  readonly until: number;
  /** Returns false if the claim has been lost. Rejects if the renewal could not be checked. */
  renew(): Promise<boolean>;
}

/** A running job. */
export interface Attended {
  /** Resolves once the result is stored. Rejects if storing it failed. */
  readonly ended: Promise<void>;
  /** Stops the agent. `because` is null if the job has already ended. */
  stop(because: EndedBecause | null): void;
  /** Renews the lease immediately, and stops the agent if the claim has been lost. */
  check(): void;
}

/**
 * Runs a claimed job within its time limit, and only while its lease is valid. The agent is stopped before
 * the lease expires, because other brokers may then consider the job lost (JOB-7).
 */
export function attendJob({ runner, describe, timeoutMs, lease, end }: ClaimedJob): Attended {
  const ending = new AbortController();
  let because: EndedBecause | null = null;
  const stop = (why: EndedBecause | null) => {
    because ??= why;
    ending.abort();
  };
  const keeping = keepLease(lease, ending.signal, () => stop("lost"));

  async function attend(): Promise<void> {
    const timer = setTimeout(() => stop("timed_out"), timeoutMs);
    try {
      const result = await runner.run(ending.signal, await describe());
      clearTimeout(timer);
      await end(result, because);
    } finally {
      clearTimeout(timer);
      keeping.stop();
    }
  }

  return { ended: attend(), stop, check: keeping.check };
}

/**
 * Keeps renewing the lease. Calls `lose` if the claim is lost, or if no renewal succeeds before the last
 * third of the lease begins.
 */
function keepLease(
  { ms, until: firstUntil, renew }: Lease,
  ending: AbortSignal,
  lose: () => void,
): { check(): void; stop(): void } {
  const over = new AbortController();
  let isAsked = false;
  let wake: () => void = () => undefined;

  async function untilDue(): Promise<void> {
    const pause = new AbortController();
    const due = delay(ms / 3, undefined, { signal: AbortSignal.any([over.signal, pause.signal]) });
    const asked = new Promise<void>((resolve) => {
      wake = resolve;
      if (isAsked) resolve();
    });
    await Promise.race([due, asked]).finally(() => {
      // Aborting the delay rejects `due`.
      due.catch(() => undefined);
      pause.abort();
    });
    isAsked = false;
  }

  async function keep(): Promise<void> {
    let until = firstUntil;
    while (!over.signal.aborted && !ending.aborted) {
      await untilDue();
      const askedAt = performance.now();
      // Leaves a third of the lease for stopping the agent.
      const latest = until - ms / 3;
      const tooLate = delay(Math.max(0, latest - askedAt), undefined, { signal: over.signal });
      // A failed renewal is retried in the next round. The agent is stopped before the lease expires.
      const renewed = renew().catch(() => undefined);
      const holds = await Promise.race([renewed, tooLate]);
      if (holds) until = askedAt + ms;
      if (holds === false || (!holds && performance.now() >= latest)) return lose();
    }
  }

  // `keep` rejects only if it is stopped during a pause.
  keep().catch(() => undefined);
  return {
    check() {
      isAsked = true;
      wake();
    },
    stop: () => over.abort(),
  };
}
