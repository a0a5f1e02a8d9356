import { CommanderError } from "commander";
import type { Command, CommandEntry } from "./command/command.js";
import type { Flags } from "./command/flags.js";
import { createOutput, type Output } from "./command/output.js";
import { createProgram, markDashedText } from "./command/program.js";
import { commandGroups } from "./commands.js";
import { readConfig, readEnvironment } from "./config.js";
import { exitCodes, interruptedError } from "./core/cli-error.js";
import { explainError } from "./core/explain-error.js";
import { runsFromNpx } from "./core/this-program.js";

/** Runs `merkle` with these arguments. Sets the exit code when the command has ended, and leaves nothing behind. */
export async function main(words: readonly string[]): Promise<void> {
  // Who has npx fetch a program wants it to do what it is for; help is one word away.
  const argv = words.length === 0 && runsFromNpx() ? ["up"] : words;
  const interruption = listenForInterruption();
  // Whoever reads us may have read enough (`merkle config list | head -1`).
  process.stdout.on("error", ignoreClosedPipe);
  process.stderr.on("error", ignoreClosedPipe);
  try {
    const [first, ...rest] = argv;
    process.exitCode =
      first === "agent"
        ? await runForJob(rest, interruption.signal)
        : await runProgram(argv, interruption.signal);
  } finally {
    interruption.stop();
  }
}

/** Runs a command for the agent of a job: none of this machine's configuration is for it (AGENT-1). */
async function runForJob(argv: readonly string[], signal: AbortSignal): Promise<number> {
  const { runForAgent } = await import("./work/agent/run-for-agent.js");
  return runForAgent(argv, { env: readEnvironment().variables, signal });
}

/** Not among the others, which it completes. */
const completion: CommandEntry = {
  name: "__complete",
  summary: "print what can stand in place of the last word",
  hidden: true,
  arguments: [{ name: "[words...]", summary: "the words behind merkle, as typed so far" }],
  examples: [],
  load: async () => (await import("./commands/complete.js")).completeWord,
};

async function runProgram(argv: readonly string[], signal: AbortSignal): Promise<number> {
  // Until the flags are read, these three say how an error about them is told.
  let output = createOutput({
    json: argv.includes("--json"),
    color: !argv.includes("--no-color"),
  });
  let exitCode: number = exitCodes.done;

  async function runCommand(command: Command, args: readonly string[], flags: Flags): Promise<void> {
    output = createOutput(flags);
    const { envFiles = false } = command;
    const env = readEnvironment().variables;
    const read = await readConfig({ flags, env, cwd: process.cwd(), envFiles });
    const config = { ...read, onOtherBuild: noteOnce(output) };
    for (const notice of config.notices) output.note(notice);
    if (config.untrusted && !command.offline) {
      const { refuseUntrusted } = await import("./trust/foreign-file.js");
      refuseUntrusted(config);
    }
    exitCode = await command.run({ args, flags, config, output, signal });
  }

  try {
    const words = markDashedText(withVersionCommand(argv));
    const groups = [...commandGroups, { title: "", topic: "", commands: [completion] }];
    await createProgram(groups, { argv: words, run: runCommand }).parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    const told = signal.aborted ? interruptedError() : explainError(error);
    if (!output.json) told.message = await harmless(told.message);
    // Whoever pressed Ctrl+C need not be told.
    if (told.exitCode !== exitCodes.interrupted || output.json) output.error(told);
    return told.exitCode;
  }
}

/** However many replies come from a broker of another build, one line says so. */
function noteOnce(output: Output): (build: number) => void {
  let isNoted = false;
  return (build) => {
    if (isNoted) return;
    isNoted = true;
    // Help needs nothing of what this loads.
    void import("./broker/broker-build.js").then(({ otherBuildNote }) => output.note(otherBuildNote(build)));
  };
}

/** It may name what others wrote: the broker's answer does, and so does a project's file that is told to be wrong. */
async function harmless(message: string): Promise<string> {
  const { neutralise } = await import("@merkle/wire/text");
  return neutralise(message);
}

/** `merkle --version` is `merkle version`. Behind a command, `--version` is one of that command's own flags. */
function withVersionCommand(argv: readonly string[]): string[] {
  const alone = argv.every((each) => each.startsWith("-"));
  return argv.map((each) => (alone && each === "--version" ? "version" : each));
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
