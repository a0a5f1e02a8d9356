import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findOnPath } from "./find-on-path.js";
import { createMarking } from "./marking.js";
import { createNamespacing } from "./namespacing.js";

/** What keeps the processes of a run together, so that none of them outlives it. */
export interface Containment {
  readonly kind: "namespace" | "marks";
  /** The command line that runs a program contained; what it inherits is the program's. */
  wrap(program: ContainedProgram): { readonly path: string; readonly args: readonly string[] };
  /** Begins to keep track of a run whose first process is this one. */
  hold(pid: number, mark: string): Held;
}

export interface ContainedProgram {
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

/**
 * The best containment that this machine allows: on Linux a PID namespace, which nothing gets out of and which the kernel
 * empties as a whole; where those are forbidden, and on other systems, process groups, marks in the environment and kinship
 * (RUNNER-6).
 */
export async function chooseContainment(wanted?: Containment["kind"]): Promise<Containment> {
  const tools = await findTools();
  if (wanted !== "marks" && process.platform === "linux") {
    const namespacing = createNamespacing(tools);
    if (namespacing && (await works(namespacing))) return namespacing;
  }
  return createMarking(tools);
}

async function findTools(): Promise<Tools> {
  if (process.platform !== "linux") {
    const [nice] = await Promise.all([findOnPath("nice")]);
    return { unshare: undefined, setpriv: undefined, prlimit: undefined, timeout: undefined, nice };
  }
  const [unshare, setpriv, prlimit, timeout, nice] = await Promise.all(
    ["unshare", "setpriv", "prlimit", "timeout", "nice"].map((name) => findOnPath(name)),
  );
  return { unshare, setpriv, prlimit, timeout, nice };
}

/** Many systems and most containers forbid namespaces; only trying shows it. */
async function works(containment: Containment): Promise<boolean> {
  const program = { path: "/bin/sh", args: ["-c", "test $(ls -d /proc/[0-9]* | wc -l) -lt 9"] };
  const { path, args } = containment.wrap({ ...program, processesMax: 64, timeoutMs: 5_000 });
  return promisify(execFile)(path, [...args], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
}
