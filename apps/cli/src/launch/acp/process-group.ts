import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { isPosix } from "../../core/platform.js";

/** A program in a process group of its own, with pipes. Ctrl+C at the terminal does not reach it. */
export interface ProgramGroup {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the program has exited. Rejects if it cannot be started. */
  readonly exited: Promise<ProgramExit>;
  /** The last lines that the program wrote to stderr. */
  readonly errorLines: readonly string[];
  /** Sends a signal to every process of the group. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the program, unless it has exited, and every process that it started and left in its group. */
  end(): Promise<void>;
}

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long a program may take to exit once its stdin is closed, and then after SIGTERM. */
const closeMsMax = 3_000;
const terminateMsMax = 2_000;
const pollMs = 20;
const errorLinesMax = 20;
const errorCharsMax = 10_000;

export function startGroup(
  path: string,
  args: readonly string[],
  { env, cwd }: { readonly env: NodeJS.ProcessEnv; readonly cwd: string },
): ProgramGroup {
  const child = spawn(path, [...args], {
    ...{ env, cwd, stdio: ["pipe", "pipe", "pipe"] },
    detached: isPosix(),
  });
  const exited = new Promise<ProgramExit>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // The promise is awaited only later, so mark it as handled in case the program cannot be started.
  exited.catch(() => undefined);
  // A program that has exited reads nothing more.
  child.stdin.on("error", () => undefined);
  const readErrorLines = collectErrors(child.stderr);

  function signalGroup(signal: NodeJS.Signals | 0): boolean {
    if (child.pid === undefined) return false;
    try {
      return process.kill(isPosix() ? -child.pid : child.pid, signal);
    } catch {
      // No process of the group is left.
      return false;
    }
  }

  /** Waits until no process of the group is left. */
  async function isGoneWithin(ms: number): Promise<boolean> {
    for (const until = performance.now() + ms; performance.now() < until; await delay(pollMs))
      if (!signalGroup(0)) return true;
    return !signalGroup(0);
  }

  return {
    pid: child.pid,
    stdin: child.stdin,
    stdout: child.stdout,
    exited,
    get errorLines() {
      return readErrorLines();
    },
    signal: (signal) => void signalGroup(signal),
    async end() {
      child.stdin.end();
      // Processes that the program started end with its pipes, if it has already exited.
      if (!(await isGoneWithin(hasExited(child) ? exitedMsMax : closeMsMax))) signalGroup("SIGTERM");
      if (!(await isGoneWithin(terminateMsMax))) signalGroup("SIGKILL");
      if (child.pid !== undefined && !hasExited(child)) await once(child, "exit");
    },
  };
}

/** How long processes of the group may outlive the program. */
const exitedMsMax = 500;

function hasExited({ exitCode, signalCode }: ChildProcessByStdio<Writable, Readable, Readable>): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Reads a program's stderr, because a full pipe would block it, and keeps the end. */
function collectErrors(stderr: Readable): () => string[] {
  let text = "";
  stderr.setEncoding("utf8");
  stderr.on("data", (chunk: string) => {
    text = (text + chunk).slice(-errorCharsMax);
  });
  return () =>
    text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .slice(-errorLinesMax);
}
