/** Something pure that may hold a thread for long. What it takes and gives is copied between threads, so it is plain data. */
export interface Task<Input, Output> {
  /** Names it in the list that a worker's thread has of all tasks. */
  readonly name: string;
  run(input: Input): Output | Promise<Output>;
  /** Whether the input is surely done within a few milliseconds. */
  isSmall(input: Input): boolean;
}

/** A task for a thread, which is sent one at a time. */
export interface TaskRequest {
  readonly name: string;
  readonly input: unknown;
}

/** The answer of a thread: the output, or the error that the task threw. */
export type TaskReply =
  | { readonly ok: true; readonly output: unknown }
  | { readonly ok: false; readonly error: unknown };
