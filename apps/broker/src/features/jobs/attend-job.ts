import { setTimeout as delay } from "node:timers/promises";
import type { EndedBecause } from "./outcome.js";
import type { RunnableJob, Runner, RunResult } from "./runner.js";

/** A claimed job whose agent is about to run, on whatever machine. */
export interface ClaimedJob {
  readonly runner: Runner;
  /** Returns the job as the runner is given it; called once. */
  describe(): Promise<RunnableJob>;
  readonly timeoutMs: number;
  readonly lease: Lease;
  /** Stores how the agent ended. Until it resolves the lease is renewed, unless the run was ended from outside. */
  end(result: RunResult, because: EndedBecause | null): Promise<void>;
}

export interface Lease {
  /** How long it holds each time it is renewed. */
  readonly ms: number;
  /** Until when it holds, on the clock of `performance.now()`. */
  readonly until: number;
  /** False when the claim holds no more; rejects when that cannot be told. */
  renew(): Promise<boolean>;
}

/** A job that is being done. */
export interface Attended {
  /** Resolves when the end is stored; rejects when it could not be. */
  readonly ended: Promise<void>;
  /** Ends the agent; null when its job has ended already. */
  stop(because: EndedBecause | null): void;
  /** The claim may hold no more: finds out at once, and ends the agent if so. */
  check(): void;
}

/**
 * Has a claimed job done: in time, and only while its claim holds. Wherever the claim is kept, an agent is ended before
 * anybody else may believe that it is gone (JOB-7).
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

/** Renews the lease; when it holds no more, or that cannot be known in time, the agent is ended before it runs out. */
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
      // It rejects when it is given up, as here.
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
      // A third of the lease is left for the agent to end in.
      const latest = until - ms / 3;
      const tooLate = delay(Math.max(0, latest - askedAt), undefined, { signal: over.signal });
      // One that failed is tried again at the next turn, and the agent is ended before the lease is over.
      const renewed = renew().catch(() => undefined);
      const holds = await Promise.race([renewed, tooLate]);
      if (holds) until = askedAt + ms;
      if (holds === false || (!holds && performance.now() >= latest)) return lose();
    }
  }

  // It rejects when it is stopped in a pause, and for nothing else.
  keep().catch(() => undefined);
  return {
    check() {
      isAsked = true;
      wake();
    },
    stop: () => over.abort(),
  };
}
