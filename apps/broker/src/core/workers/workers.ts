import { availableParallelism } from "node:os";
import { MerkleError } from "@merkle/wire";
import type { Log } from "../log.js";
import type { WorkerTask } from "./task.js";
import { startThread, type WorkerThread } from "./thread.js";

/** A few threads for pure work that would block the event loop. */
export interface WorkerPool {
  /**
   * Runs a task, and resolves with its result or rejects with its error. Small inputs run immediately on the
   * calling thread, because passing them to another thread would cost more than the work.
   *
   * @throws unavailable if too many tasks are waiting, if the task takes longer than `timeoutMs`, or after
   * `stop`; the signal's reason if the signal is aborted
   */
  run<Input, Output>(
    task: WorkerTask<Input, Output>,
    input: Input,
    options?: TaskRunOptions,
  ): Promise<Output>;
  /** Rejects running and waiting tasks. Resolves once all threads have ended. Further calls do nothing. */
  stop(): Promise<void>;
}

export interface TaskRunOptions {
  readonly signal?: AbortSignal;
  /** Maximum time for the whole call, including the wait for a thread (default: 10 seconds). */
  readonly timeoutMs?: number;
  /**
   * Whether the task gets a dedicated thread in addition to the shared threads. Used for work that takes
   * minutes.
   */
  readonly needsOwnThread?: boolean;
}

export interface WorkersOptions {
  /** Maximum number of threads (default: one fewer than the processors, at most 4). They are started when needed. */
  readonly size?: number;
  /** Maximum number of tasks that wait for a thread (default: 64). */
  readonly waitingMax?: number;
  /** The worker thread's entry script. */
  readonly entry: URL;
  readonly log?: Log;
}

interface Waiter {
  resolve(thread: WorkerThread): void;
  reject(reason: unknown): void;
}

export function startWorkers({
  size = Math.max(1, Math.min(4, availableParallelism() - 1)),
  waitingMax = 64,
  entry,
  log,
}: WorkersOptions): WorkerPool {
  const threads = new Set<WorkerThread>();
  const ownThreads = new Set<WorkerThread>();
  const idle = new Set<WorkerThread>();
  const waiting = new Set<Waiter>();
  const running = new Set<AbortController>();
  let isStopped = false;

  async function run<Input, Output>(
    task: WorkerTask<Input, Output>,
    input: Input,
    { signal, timeoutMs = 10_000, needsOwnThread = false }: TaskRunOptions = {},
  ): Promise<Output> {
    if (isStopped) throw stopping();
    signal?.throwIfAborted();
    if (task.isSmall(input)) return task.run(input);
    const { name } = task;

    const work = new AbortController();
    const giveUp = () => work.abort(signal?.reason);
    signal?.addEventListener("abort", giveUp);
    const timer = setTimeout(() => work.abort(tookTooLong(name, timeoutMs)), timeoutMs);
    running.add(work);
    try {
      // The thread runs the task called `name`, whose output type is `Output`.
      const use = (thread: WorkerThread) => thread.run({ name, input }, work.signal) as Promise<Output>;
      return await (needsOwnThread ? onOwnThread(use) : onThread(use, work.signal));
    } finally {
      running.delete(work);
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    }
  }

  async function onThread<Result>(
    use: (thread: WorkerThread) => Promise<Result>,
    signal: AbortSignal,
  ): Promise<Result> {
    const thread = takeIdle() ?? startAnother() ?? (await waitForThread(signal));
    try {
      signal.throwIfAborted();
      return await use(thread);
    } finally {
      release(thread);
    }
  }

  async function onOwnThread<Result>(use: (thread: WorkerThread) => Promise<Result>): Promise<Result> {
    const thread = startThread(entry, () => ownThreads.delete(thread));
    ownThreads.add(thread);
    try {
      return await use(thread);
    } finally {
      await thread.stop();
    }
  }

  function takeIdle(): WorkerThread | null {
    const [thread] = idle;
    if (!thread) return null;
    idle.delete(thread);
    return thread;
  }

  function startAnother(): WorkerThread | null {
    if (threads.size >= size) return null;
    const thread = startThread(entry, (crash) => {
      threads.delete(thread);
      idle.delete(thread);
      if (crash !== undefined) log?.error("a worker thread crashed", { error: crash });
    });
    threads.add(thread);
    return thread;
  }

  function waitForThread(signal: AbortSignal): Promise<WorkerThread> {
    if (waiting.size >= waitingMax) throw tooManyWaiting(waitingMax);
    return new Promise((resolve, reject) => {
      const giveUp = () => waiter.reject(signal.reason);
      const leave = () => {
        waiting.delete(waiter);
        signal.removeEventListener("abort", giveUp);
      };
      const waiter: Waiter = {
        resolve(thread) {
          leave();
          resolve(thread);
        },
        reject(reason) {
          leave();
          reject(reason);
        },
      };
      waiting.add(waiter);
      signal.addEventListener("abort", giveUp);
    });
  }

  /** Assigns the thread, or a new thread if this one has ended, to the task that has waited longest. */
  function release(thread: WorkerThread): void {
    const [waiter] = waiting;
    const isAlive = threads.has(thread);
    if (!waiter) {
      if (isAlive) idle.add(thread);
      return;
    }
    const next = isAlive ? thread : startAnother();
    if (next) waiter.resolve(next);
  }

  async function stop(): Promise<void> {
    isStopped = true;
    for (const work of running) work.abort(stopping());
    await Promise.all([...threads, ...ownThreads].map((thread) => thread.stop()));
  }

  return { run, stop };
}

function stopping(): MerkleError {
  return new MerkleError("unavailable", "The broker is stopping. Try again in a moment.", {
    retry_after_s: 1,
  });
}

function tooManyWaiting(waitingMax: number): MerkleError {
  return new MerkleError(
    "unavailable",
    `The broker is busy: ${waitingMax} large computations are already waiting. Try again in a moment.`,
    { retry_after_s: 1 },
  );
}

function tookTooLong(name: string, timeoutMs: number): MerkleError {
  return new MerkleError("unavailable", `The broker gave up on ${name} after ${timeoutMs} ms.`, {
    retry_after_s: 1,
  });
}
