import type { Readable, Writable } from "node:stream";

/**
 * The surroundings of one call of `merkle`. `main` passes those of its process. A caller that runs commands within a process
 * of its own passes others, and several calls may run at once.
 */
export interface Io {
  readonly stdin: Input;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly env: NodeJS.ProcessEnv;
  /** The folder that relative paths start at. */
  readonly cwd: string;
}

/** Standard input; `isTTY` is true at a terminal alone. */
export type Input = Readable & { readonly isTTY?: boolean | undefined };

/** Standard output or error; a terminal has columns. */
export type TextStream = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** How many columns a stream breaks lines at; Infinity where it is no terminal. */
export function columnsOf({ isTTY, columns = 0 }: TextStream): number {
  return isTTY === true && columns > 0 ? columns : Number.POSITIVE_INFINITY;
}
