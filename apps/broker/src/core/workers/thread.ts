import { Worker } from "node:worker_threads";
import type { TaskReply, TaskRequest } from "./task.js";

/** One worker thread, which runs one task at a time. */
export interface Thread {
  /**
   * Runs a task. A task cannot be interrupted, so when `signal` is aborted the whole thread ends, and the promise rejects
   * with the signal's reason once it has. When the thread crashes, it rejects with what happened as `cause`.
   */
  run(request: TaskRequest, signal: AbortSignal): Promise<unknown>;
  /** Resolves when the thread has ended, whatever it did; may be called twice. */
  stop(): Promise<void>;
}

/** A task that runs out of memory ends its thread, not the broker. */
const MEMORY_MB_MAX = 256;

/** Starts a thread that keeps the process alive only while it runs a task. `onExit` is called when it ends, however it does. */
export function startThread(entry: URL, onExit: (cause: unknown) => void): Thread {
  // Neither the flags nor the environment of the broker: a task needs none, and the environment holds secrets.
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
          // It came too late: the thread is being ended.
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
