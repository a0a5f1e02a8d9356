import { setTimeout as delay } from "node:timers/promises";
import type { JobStopReason } from "@merkle/wire";
import type { JobRunner, RunnableJob, RunResult } from "./runner.js";

/** A claimed job whose agent is about to run, on the broker or on another machine. */
export interface ClaimedJob {
  readonly runner: JobRunner;
  /** Returns the job in the form passed to the runner. Called once. */
  describe(): Promise<RunnableJob>;
  readonly timeoutMs: number;
  readonly lease: Lease;
  /**
   * Stores the result of the run. The lease is renewed until the promise resolves, unless the run was
   * stopped from outside.
   */
  end(result: RunResult, because: JobStopReason | null): Promise<void>;
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
export interface RunningJob {
  /** Resolves once the result is stored. Rejects if storing it failed. */
  readonly ended: Promise<void>;
  /** Stops the agent. `because` is null if the job has already ended. */
  stop(because: JobStopReason | null): void;
  /** Renews the lease immediately, and stops the agent if the claim has been lost. */
  check(): void;
}

/**
 * Runs a claimed job within its time limit, and only while its lease is valid. The agent is stopped before
 * the lease expires, because other brokers may then consider the job lost (JOB-7).
 */
export function attendJob({ runner, describe, timeoutMs, lease, end }: ClaimedJob): RunningJob {
  const ending = new AbortController();
  let because: JobStopReason | null = null;
  const stop = (reason: JobStopReason | null) => {
    because ??= reason;
    ending.abort();
  };
  const renewal = keepLease(lease, ending.signal, () => stop("lost"));

  async function attend(): Promise<void> {
    const timer = setTimeout(() => stop("timed_out"), timeoutMs);
    try {
      const result = await runner.run(ending.signal, await describe());
      clearTimeout(timer);
      await end(result, because);
    } finally {
      clearTimeout(timer);
      renewal.stop();
    }
  }

  return { ended: attend(), stop, check: renewal.check };
}

/**
 * Keeps renewing the lease. Calls `lose` if the claim is lost, or if no renewal succeeds before the last
 * third of the lease begins.
 */
function keepLease(
  { ms, until: firstUntil, renew }: Lease,
  ending: AbortSignal,
  onLost: () => void,
): { check(): void; stop(): void } {
  const stopped = new AbortController();
  let isCheckRequested = false;
  let wake: () => void = () => undefined;

  async function waitUntilDue(): Promise<void> {
    const pause = new AbortController();
    const interval = delay(ms / 3, undefined, { signal: AbortSignal.any([stopped.signal, pause.signal]) });
    const checkRequest = new Promise<void>((resolve) => {
      wake = resolve;
      if (isCheckRequested) resolve();
    });
    await Promise.race([interval, checkRequest]).finally(() => {
      // Aborting the delay rejects `due`.
      interval.catch(() => undefined);
      pause.abort();
    });
    isCheckRequested = false;
  }

  async function renewUntilLost(): Promise<void> {
    let until = firstUntil;
    while (!stopped.signal.aborted && !ending.aborted) {
      await waitUntilDue();
      const askedAt = performance.now();
      // Leaves a third of the lease for stopping the agent.
      const latest = until - ms / 3;
      const tooLate = delay(Math.max(0, latest - askedAt), undefined, { signal: stopped.signal });
      // A failed renewal is retried in the next round. The agent is stopped before the lease expires.
      const renewed = renew().catch(() => undefined);
      const isHeld = await Promise.race([renewed, tooLate]);
      if (isHeld) until = askedAt + ms;
      if (isHeld === false || (!isHeld && performance.now() >= latest)) return onLost();
    }
  }

  // `keep` rejects only if it is stopped during a pause.
  renewUntilLost().catch(() => undefined);
  return {
    check() {
      isCheckRequested = true;
      wake();
    },
    stop: () => stopped.abort(),
  };
}
