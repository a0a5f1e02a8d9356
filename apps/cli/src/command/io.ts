import type { Readable, Writable } from "node:stream";

/**
 * The input, output and environment of one call of `merkle`. `main` passes the streams and environment of its
 * process. Programs that run commands inside their own process pass different ones, and may run several
 * commands at the same time.
 */
export interface Io {
  readonly stdin: Input;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly env: NodeJS.ProcessEnv;
  /** The folder against which relative paths are resolved. */
  readonly cwd: string;
  /**
   * Ignores Ctrl+C until the returned function is called, while another program reads the keys of the
   * terminal.
   */
  readonly holdInterrupts?: (() => () => void) | undefined;
}

/** Standard input. `isTTY` is true only at a terminal. */
export type Input = Readable & { readonly isTTY?: boolean | undefined };

/** Standard output or standard error. Only a terminal has a number of columns. */
export type TextStream = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
};

/** Returns the stream's width in columns. Infinity if the stream is not a terminal. */
export function getColumns({ isTTY, columns = 0 }: TextStream): number {
  return isTTY === true && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}
