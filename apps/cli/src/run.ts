import { CommanderError } from "commander";
import type { Command, CommandEntry } from "./command/command.js";
import type { Io } from "./command/io.js";
import { separateFields } from "./command/json-fields.js";
import { createOutput, type Output } from "./command/output.js";
import { createProgram, markDashedText } from "./command/program.js";
import { environmentVariables } from "./command-descriptions.js";
import { commandGroups } from "./commands.js";
import { exitCodes, interruptedError } from "./core/cli-error.js";
import { explainError } from "./core/explain-error.js";
import type { Flags } from "./core/flags.js";
import { findFeature } from "./features.js";
import { readConfig } from "./settings/config.js";
import type { ForeignFile } from "./settings/foreign-file.js";
import type { SettingSources } from "./settings/setting.js";

/**
 * Runs the command with these arguments and returns its exit code. Prints errors to stderr.
 *
 * @param signal - aborts the command as Ctrl+C would
 */
export async function run(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const [first, ...rest] = argv;
  return first === "agent" ? runForJob(rest, io, signal) : runProgram(argv, io, signal);
}

/** Runs a command for a job's agent. Such a command uses none of this machine's configuration (AGENT-1). */
async function runForJob(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const jobs = await findFeature("jobs");
  return jobs?.runForAgent?.(argv, io, signal) ?? runProgram(["agent", ...argv], io, signal);
}

/**
 * The hidden command that prints completions. It is not in the list of commands, because it loads that list
 * itself.
 */
const completionEntry: CommandEntry = {
  name: "__complete",
  summary: "print completions",
  hidden: true,
  arguments: [{ name: "[words...]", summary: "the words behind merkle, as typed so far" }],
  examples: [],
  load: async () => (await import("./commands/complete.js")).completeWord,
};

async function runProgram(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  // The output used until the flags have been parsed, and therefore also for errors in the flags.
  let output = createOutput({ json: argv.includes("--json"), color: !argv.includes("--no-color") }, io);
  let exitCode: number = exitCodes.done;

  async function runCommand(command: Command, args: readonly string[], flags: Flags): Promise<void> {
    output = createOutput(flags, io);
    const { envFiles = false } = command;
    const featureSettings = envFiles ? await loadFeatureSettings() : [];
    const sources = { flags, env: io.env, cwd: io.cwd, envFiles, featureSettings };
    let read = await readConfig(sources);
    if (read.untrusted && !command.offline) {
      await decideTrust(read.untrusted, command, { home: read.home, flags, output });
      read = await readConfig(sources);
    }
    const note = noteOnce(output);
    const config = { ...read, onOtherBuild: note.onOtherBuild };
    for (const notice of config.notices) output.note(notice);
    try {
      exitCode = await command.run({ args, flags, config, output, io, signal });
    } finally {
      await note.waitUntilPrinted();
    }
  }

  /**
   * Asks whether to trust a project's file. @throws CliError `not_trusted` unless the person trusts the file
   */
  async function decideTrust(
    file: ForeignFile,
    { asksToTrust }: Command,
    { home, flags, output }: { home: string; flags: Flags; output: Output },
  ): Promise<void> {
    const { askToTrust, isPersonAtTerminal } = await import("./command/ask-to-trust.js");
    if (!asksToTrust || flags["yes"] === true || !isPersonAtTerminal({ flags, io })) {
      const { notTrusted } = await import("./settings/foreign-file.js");
      throw notTrusted(file);
    }
    await askToTrust(home, { file, context: { flags, io, output, signal } });
  }

  try {
    const commands = commandGroups.flatMap((group) => group.commands);
    const words = separateFields(markDashedText(withVersionCommand(argv)), commands);
    const groups = [...commandGroups, { title: "", topic: "", commands: [completionEntry] }];
    const program = createProgram(groups, {
      argv: words,
      stdout: io.stdout,
      variables: environmentVariables,
      run: runCommand,
    });
    await program.parseAsync(words, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    const cliError = signal.aborted ? interruptedError() : explainError(error);
    if (!output.json) cliError.message = await neutraliseText(cliError.message);
    // After Ctrl+C, print "Interrupted." only in JSON output. A person at the terminal does not need the
    // message.
    if (cliError.exitCode !== exitCodes.interrupted || output.json) output.error(cliError);
    return cliError.exitCode;
  }
}

/** Prints the note about a different build of the broker only once, however many replies arrive. */
function noteOnce(output: Output): { onOtherBuild(build: number): void; waitUntilPrinted(): Promise<void> } {
  let writing: Promise<void> | undefined;
  return {
    onOtherBuild(build) {
      // Loaded on demand, so that help starts fast.
      writing ??= import("./broker/broker-build.js").then(({ describeOtherBuild: otherBuildNote }) =>
        output.note(otherBuildNote(build)),
      );
    },
    waitUntilPrinted: async () => writing,
  };
}

/**
 * Removes control characters from an error message, which may quote text from others, such as the broker or a
 * project's file.
 */
async function neutraliseText(message: string): Promise<string> {
  const { neutralise } = await import("@merkle/wire/text");
  return neutralise(message);
}

/**
 * Replaces a leading `--version` with the command `version`. After a command's name, `--version` is that
 * command's own flag.
 */
function withVersionCommand(argv: readonly string[]): string[] {
  const hasOnlyFlags = argv.every((each) => each.startsWith("-"));
  return argv.map((each) => (hasOnlyFlags && each === "--version" ? "version" : each));
}

/** Loads the settings of all features. Only commands that start the broker need these settings. */
async function loadFeatureSettings(): Promise<readonly SettingSources[]> {
  const { listFeatureSettings } = await import("./feature-hooks.js");
  return Object.values(await listFeatureSettings());
}
