/**
 * A pure function that may occupy a thread for long. Inputs and outputs are copied between threads, so they are plain data.
 */
export interface Task<Input, Output> {
  /** Name of the task in the worker thread's list of tasks. */
  readonly name: string;
  run(input: Input): Output | Promise<Output>;
  /** Returns whether the input certainly takes at most a few milliseconds. */
  isSmall(input: Input): boolean;
}

/** A request to run a task on a thread. A thread gets one request at a time. */
export interface TaskRequest {
  readonly name: string;
  readonly input: unknown;
}

/** The reply of a thread: the output, or the error that the task threw. */
export type TaskReply =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: unknown };
