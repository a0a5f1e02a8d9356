import type { Cgroup } from "./cgroup.js";

/** Keeps the processes of a run together, so that none of them outlives it. */
export interface Containment {
  readonly kind: "namespace" | "marks";
  /** The command line that runs a program contained; what it inherits is the program's. */
  wrap(program: ContainedProgram): { readonly path: string; readonly args: readonly string[] };
  /** Begins to keep track of a run whose first process is this one, and of all that its cgroup holds where it has one. */
  hold(pid: number, mark: string, group?: Pick<Cgroup, "processes">): Held;
}

interface ContainedProgram {
  readonly path: string;
  readonly args: readonly string[];
  /** How many processes and threads it may have at once. */
  readonly processesMax: number;
  /** After so long it ends even if nobody is there to end it. */
  readonly timeoutMs: number;
}

/** A run whose processes are kept together. */
export interface Held {
  /** How many processes it has at this moment. */
  count(): Promise<number>;
  /** Asks all of them to end. */
  terminate(): Promise<void>;
  /** Ends all of them. When it resolves none is left. */
  kill(): Promise<void>;
  /** The same once the first process has ended by itself. */
  clear(): Promise<void>;
}

/** The programs of a Linux system that contain others; what is not there is left out. */
export interface Tools {
  readonly unshare: string | undefined;
  readonly setpriv: string | undefined;
  readonly prlimit: string | undefined;
  readonly timeout: string | undefined;
  readonly nice: string | undefined;
}
