import type { Io } from "./command/io.js";
import { exitCodes } from "./core/cli-error.js";
import { runsFromNpx } from "./core/this-program.js";
import { run } from "./run.js";
import { readEnvironment } from "./settings/config.js";

/** Runs `merkle` in this process. Sets the exit code when the command has ended, and leaves nothing behind. */
export async function main(words: readonly string[]): Promise<void> {
  // Who has npx fetch a program wants it to do what it is for; help is one word away.
  const argv = words.length === 0 && runsFromNpx() ? ["up"] : words;
  const interruption = listenForInterruption();
  const isWritten = watchOutput();
  const { stdout, stderr } = process;
  const io: Io = {
    // Opened only by commands that read it: a launched client has it to itself.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    env: readEnvironment().variables,
    cwd: process.cwd(),
  };
  try {
    process.exitCode = await run(argv, io, interruption.signal);
    if (process.exitCode === exitCodes.done && !isWritten()) process.exitCode = exitCodes.unexpected;
  } finally {
    interruption.stop();
  }
}

/** One Ctrl+C reaches us twice when npm runs us: from the terminal, and passed on. */
const sameKeyWithinMs = 500;

/** The first Ctrl+C asks the command to end; a second one does not wait for it. */
function listenForInterruption(): { signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let interruptedAt = 0;
  const interrupt = () => {
    if (!controller.signal.aborted) interruptedAt = Date.now();
    else if (Date.now() - interruptedAt > sameKeyWithinMs) process.exit(exitCodes.interrupted);
    controller.abort();
  };
  const signals: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  for (const each of signals) process.on(each, interrupt);
  return {
    signal: controller.signal,
    stop() {
      for (const each of signals) process.off(each, interrupt);
    },
  };
}

/**
 * A reader may close the pipe early (`merkle config list | head -1`), which is no failure. Data that a full disk did not
 * take is one, and is said once. Returns whether all of it was written.
 */
function watchOutput(): () => boolean {
  let isWritten = true;
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE" || !isWritten) return;
    isWritten = false;
    // The last of it may fail when the command has ended.
    if (process.exitCode === exitCodes.done) process.exitCode = exitCodes.unexpected;
    const reason = code === "ENOSPC" ? "no space is left there" : code;
    process.stderr.write(`The output could not be written: ${reason}.\n`);
  });
  // Nobody is left who could be told.
  process.stderr.on("error", () => undefined);
  return () => isWritten;
}
