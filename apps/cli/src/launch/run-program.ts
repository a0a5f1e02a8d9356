import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { isatty } from "node:tty";
import { isPosix } from "../core/platform.js";

export interface ProgramCall {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** Called with the process id once the program is running. */
  onStart(pid: number): Promise<void>;
}

/**
 * Runs a program with this process's terminal, input, output and signals. Resolves with its exit code, or
 * with 128 plus the number of the signal that ended it. Restores the terminal afterwards (LAUNCH-7).
 */
export async function runProgram({ path, args, env, cwd, onStart }: ProgramCall): Promise<number> {
  const terminal = saveTerminal();
  const child = spawn(path, [...args], { env, cwd, stdio: "inherit" });
  const restoreSignals = passSignalsTo(child);
  try {
    const exit = waitForExit(child);
    if (child.pid !== undefined) await onStart(child.pid);
    const { code, signal } = await exit;
    terminal.restore({ wasKilled: signal !== null });
    return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  } finally {
    restoreSignals();
  }
}

function waitForExit(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // The promise is awaited only later, so mark it as handled in case the program cannot be started.
  ended.catch(() => undefined);
  return ended;
}

/**
 * Forwards signals to the program instead of calling this process's own listeners. Returns a function that
 * restores the listeners.
 *
 * At a terminal, Ctrl+C already reaches the program, which would get it twice if it were forwarded. Without a
 * terminal, the signal comes from another process and is forwarded.
 */
function passSignalsTo(child: ChildProcess): () => void {
  const hasTty = hasTerminal();
  return takeSignals((signal) => {
    if (!(hasTty && (signal === "SIGINT" || signal === "SIGQUIT"))) child.kill(signal);
  });
}

/** Handles signals instead of this process's own listeners. Returns a function that restores the listeners. */
export function takeSignals(handle: (signal: NodeJS.Signals) => void): () => void {
  const handlers = new Map<NodeJS.Signals, NodeJS.SignalsListener>();
  const listenersBefore = signals.map((signal) => ({ signal, listeners: process.listeners(signal) }));
  for (const signal of signals) {
    const handler = () => handle(signal);
    process.removeAllListeners(signal);
    process.on(signal, handler);
    handlers.set(signal, handler);
  }
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler);
    for (const { signal, listeners } of listenersBefore) {
      for (const listener of listeners) process.on(signal, listener as NodeJS.SignalsListener);
    }
  };
}

const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];

/** Returns whether this process has a controlling terminal, regardless of its stdin and stdout. */
function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

const [stdin, stdout] = [0, 1];

/** Saves the terminal's modes, so that a program that is killed does not leave the terminal unusable. */
function saveTerminal(): { restore(ending: { wasKilled: boolean }): void } {
  const before = readModes();
  return {
    restore({ wasKilled }) {
      if (before !== undefined) runStty(before);
      // A program that exits normally has already reset the screen, and resetting it again would move the
      // cursor.
      if (wasKilled && before !== undefined && isatty(stdout)) writeSync(stdout, plainScreen);
    },
  };
}

/**
 * Escape sequences that leave the alternate screen, disable keyboard protocols and the reporting of mouse,
 * focus and paste events, show the cursor and reset text attributes.
 */
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
  return isPosix() && isatty(stdin) ? runStty("-g") : undefined;
}

function runStty(argument: string): string | undefined {
  try {
    return execFileSync("stty", [argument], { stdio: ["inherit", "pipe", "ignore"] })
      .toString()
      .trim();
  } catch {
    // If stty is missing, the modes can be neither read nor restored.
    return undefined;
  }
}
