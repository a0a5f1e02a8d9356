import { Worker } from "node:worker_threads";
import type { TaskReply, TaskRequest } from "./task.js";

/** One worker thread, which runs one task at a time. */
export interface WorkerThread {
  /**
   * Runs a task. A task cannot be interrupted, so aborting `signal` ends the whole thread. The promise then
   * rejects with the signal's reason once the thread has ended. If the thread crashes, the promise rejects
   * with an error whose `cause` is the crash.
   */
  run(request: TaskRequest, signal: AbortSignal): Promise<unknown>;
  /** Ends the thread, whether busy or idle. Resolves once the thread has ended. Further calls do nothing. */
  stop(): Promise<void>;
}

/** Memory limit of a thread. A task that runs out of memory ends its thread, not the broker. */
const MEMORY_MB_MAX = 256;

/**
 * Starts a thread that keeps the process alive only while it runs a task. `onExit` is called when the thread ends for any
 * reason.
 */
export function startThread(entry: URL, onExit: (cause: unknown) => void): WorkerThread {
  // The thread gets neither the broker's flags nor its environment, which contains secrets. Tasks need neither.
  const worker = new Worker(entry, {
    name: "merkle-worker",
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
  });
  worker.unref();

  let crash: unknown;
  worker.on("error", (error) => {
    crash = error;
  });
  worker.once("exit", () => onExit(crash));

  return {
    run: (request, signal) =>
      new Promise((resolve, reject) => {
        const finish = () => {
          worker.off("message", onReply).off("messageerror", onUnreadable).off("exit", onEnd).unref();
          signal.removeEventListener("abort", onAbort);
        };
        const onReply = (reply: TaskReply) => {
          // The reply comes too late, because the thread is already being terminated.
          if (signal.aborted) return;
          finish();
          if (reply.ok) resolve(reply.output);
          else reject(reply.error);
        };
        const onUnreadable = (error: unknown) => onReply({ ok: false, error });
        const onEnd = () => {
          finish();
          const crashed = new Error(`A worker thread ended while it ran ${request.name}.`, { cause: crash });
          reject(signal.aborted ? signal.reason : crashed);
        };
        const onAbort = () => void worker.terminate();

        worker.on("message", onReply).on("messageerror", onUnreadable).on("exit", onEnd).ref();
        signal.addEventListener("abort", onAbort);
        worker.postMessage(request);
      }),
    stop: async () => {
      await worker.terminate();
    },
  };
}
