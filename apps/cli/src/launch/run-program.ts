import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { isPosix } from "../core/platform.js";

interface ProgramCall {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Told the process's number once it runs. */
  onStart(pid: number): Promise<void>;
}

/**
 * Runs a program in the place of this one: on our terminal, with our input and output, and with our signals. Resolves
 * with its exit code, 128 and the signal's number when one ended it, and leaves the terminal as it was (LAUNCH-7).
 */
export async function runProgram({ path, args, env, cwd, onStart }: ProgramCall): Promise<number> {
  const terminal = keepTerminal();
  const child = spawn(path, [...args], { env, cwd, stdio: "inherit" });
  const giveBack = passSignalsTo(child);
  try {
    const ended = endOf(child);
    if (child.pid !== undefined) await onStart(child.pid);
    const { code, signal } = await ended;
    terminal.restore({ abrupt: signal !== null });
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    giveBack();
  }
}

function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // Awaited later; a program that cannot be started says so before.
  ended.catch(() => undefined);
  return ended;
}

/**
 * Until it is given back, a signal is the program's affair: what listened before does not hear it, and this process goes
 * on until the program has ended. Ctrl+C reaches the program from the terminal by itself, and a second one would be more
 * than the user said; where there is no terminal, it comes from a process and is passed on like the others.
 */
function passSignalsTo(child: ChildProcess): () => void {
  const fromTerminal = hasTerminal();
  const given = new Map<NodeJS.Signals, NodeJS.SignalsListener>();
  const listenersBefore = signals.map((signal) => ({ signal, listeners: process.listeners(signal) }));
  for (const signal of signals) {
    const pass = () => {
      if (!(fromTerminal && (signal === "SIGINT" || signal === "SIGQUIT"))) child.kill(signal);
    };
    process.removeAllListeners(signal);
    process.on(signal, pass);
    given.set(signal, pass);
  }
  return () => {
    for (const [signal, pass] of given) process.off(signal, pass);
    for (const { signal, listeners } of listenersBefore) {
      for (const listener of listeners) process.on(signal, listener as NodeJS.SignalsListener);
    }
  };
}

const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/** Whether this process belongs to a terminal, whatever its input and output are. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

const [stdin, stdout] = [0, 1];

/** Remembers how the terminal is set, so that a program that is killed does not leave it unusable. */
function keepTerminal(): { restore(ending: { abrupt: boolean }): void } {
  const before = readModes();
  return {
    restore({ abrupt }) {
      if (before !== undefined) stty(before);
      // A program that ends by itself has done this, and doing it twice would move the cursor.
      if (abrupt && before !== undefined && isatty(stdout)) writeSync(stdout, plainScreen);
    },
  };
}

/** No alternate screen, mouse, focus or paste reports and no keyboard protocol; a visible cursor, and plain text. */
const plainScreen = [
  "\u001b[?1049l",
  "\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1006l",
  "\u001b[?1004l",
  "\u001b[?2004l",
  "\u001b[<u",
  "\u001b[?25h",
  "\u001b[0m",
].join("");

function readModes(): string | undefined {
  return isPosix() && isatty(stdin) ? stty("-g") : undefined;
}

function stty(argument: string): string | undefined {
  try {
    return execFileSync("stty", [argument], { stdio: ["inherit", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    // Without stty nothing is known of the terminal, and nothing can be changed.
    return undefined;
  }
}
