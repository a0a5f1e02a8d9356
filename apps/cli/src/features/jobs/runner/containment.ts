import type { Cgroup } from "./cgroup.js";

/** Keeps track of all processes of a run, so that none of them outlives it. */
export interface Containment {
  readonly kind: "namespace" | "marks";
  /**
   * Returns the command line that runs a program inside the containment. The program inherits the streams and
   * environment.
   */
  wrap(program: ContainedProgram): { readonly path: string; readonly args: readonly string[] };
  /** Starts to track a run, given its first process and, if the run has a cgroup, all processes in it. */
  track(pid: number, mark: string, group?: Pick<Cgroup, "processes">): TrackedRun;
}

interface ContainedProgram {
  readonly path: string;
  readonly args: readonly string[];
  /** Maximum number of processes and threads in the run. */
  readonly processesMax: number;
  /** How long the program may run. It is ended after this time even if the runner no longer exists. */
  readonly timeoutMs: number;
}

/** A run whose processes are tracked. */
export interface TrackedRun {
  /** Returns the current number of processes. */
  count(): Promise<number>;
  /** Asks all processes of the run to exit. */
  terminate(): Promise<void>;
  /** Kills all processes of the run. Resolves when none is left. */
  kill(): Promise<void>;
  /** Kills the processes that remain after the first process has exited. Resolves when none is left. */
  clear(): Promise<void>;
}

/** Paths of the Linux programs used for containment. Undefined for programs that are not installed. */
export interface Tools {
  readonly unshare: string | undefined;
  readonly setpriv: string | undefined;
  readonly prlimit: string | undefined;
  readonly timeout: string | undefined;
  readonly nice: string | undefined;
}
