import type { Io } from "./command/io.js";
import { exitCodes } from "./core/cli-error.js";
import { runsFromNpx } from "./core/this-program.js";
import { run } from "./run.js";
import { readEnvironment } from "./settings/config.js";

/** Runs `merkle` in this process. Sets the exit code, and removes all listeners when the command ends. */
export async function main(words: readonly string[]): Promise<void> {
  // If called through npx with no arguments, start the broker. Users of npx expect the program to run, and
  // can still ask for help.
  const argv = words.length === 0 && runsFromNpx() ? ["up"] : words;
  const interruption = listenForInterruption();
  const isWritten = watchOutput();
  const { stdout, stderr } = process;
  const io: Io = {
    // Opened on demand, because only a launched client may read stdin while it runs.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    env: readEnvironment().variables,
    cwd: process.cwd(),
    holdInterrupts: interruption.hold,
  };
  try {
    process.exitCode = await run(argv, io, interruption.signal);
    if (process.exitCode === exitCodes.done && !isWritten()) process.exitCode = exitCodes.unexpected;
  } finally {
    interruption.stop();
  }
}

/**
 * Under npm, one Ctrl+C arrives twice: from the terminal, and forwarded by npm. A second signal within this
 * time is ignored.
 */
const sameKeyWithinMs = 500;

interface Interruption {
  readonly signal: AbortSignal;
  /** Ignores Ctrl+C until the returned function is called. */
  hold(): () => void;
  stop(): void;
}

/** Listens for signals. The first signal asks the command to end; the second exits immediately. */
function listenForInterruption(): Interruption {
  const controller = new AbortController();
  let interruptedAt = 0;
  let isHeld = false;
  const interrupt = (signal: NodeJS.Signals) => {
    if (isHeld && signal === "SIGINT") return;
    if (!controller.signal.aborted) interruptedAt = Date.now();
    else if (Date.now() - interruptedAt > sameKeyWithinMs) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const each of signals) process.on(each, interrupt);
  return {
    signal: controller.signal,
    hold() {
      isHeld = true;
      return () => {
        isHeld = false;
      };
    },
    stop() {
      for (const each of signals) process.off(each, interrupt);
    },
  };
}

/**
 * Watches for failed writes to stdout. Returns a function that reports whether everything was written. If the
 * reader closes the pipe early (`merkle config list | head -1`), that is not an error. A full disk is an
 * error and is reported once.
 */
function watchOutput(): () => boolean {
  let isWritten = true;
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE" || !isWritten) return;
    isWritten = false;
    // The last write may fail after the command has ended.
    if (process.exitCode === exitCodes.done) process.exitCode = exitCodes.unexpected;
    const reason = code === "ENOSPC" ? "no space is left there" : code;
    process.stderr.write(`The output could not be written: ${reason}.\n`);
  });
  // If stderr is closed, an error cannot be reported anywhere.
  process.stderr.on("error", () => undefined);
  return () => isWritten;
}
