import type { Io } from "./command/io.js";
import { readEnvironment } from "./config.js";
import { exitCodes } from "./core/cli-error.js";
import { runsFromNpx } from "./core/this-program.js";
import { run } from "./run.js";

/** Runs `merkle` in this process. Sets the exit code when the command has ended, and leaves nothing behind. */
export async function main(words: readonly string[]): Promise<void> {
  // Who has npx fetch a program wants it to do what it is for; help is one word away.
  const argv = words.length === 0 && runsFromNpx() ? ["up"] : words;
  const interruption = listenForInterruption();
  // Whoever reads us may have read enough (`merkle config list | head -1`).
  process.stdout.on("error", ignoreClosedPipe);
  process.stderr.on("error", ignoreClosedPipe);
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

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}
