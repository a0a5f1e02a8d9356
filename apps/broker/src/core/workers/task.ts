/**
 * A pure function that may occupy a thread for a long time. Inputs and outputs are copied between threads, so
 * they are plain data.
 */
export interface WorkerTask<Input, Output> {
  /** Name of the task in the worker thread's list of tasks. */
  readonly name: string;
  run(input: Input): Output | Promise<Output>;
  /** Returns whether the task is certain to take at most a few milliseconds with this input. */
  isSmall(input: Input): boolean;
}

/** A request to run a task on a thread. A thread gets one request at a time. */
export interface TaskRequest {
  readonly name: string;
  readonly input: unknown;
}

/** A worker thread's reply: the output, or the error that the task threw. */
export type TaskReply =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: unknown };
