import type { Flags } from "../core/flags.js";
import type { Config } from "../settings/config.js";
import type { Io } from "./io.js";
import type { Output } from "./output.js";

/** A command's description, for help and for parsing its line. */
export interface CommandDescription {
  /** The words to type: `up`, `config get`. */
  readonly name: string;
  /** One line about what the command does. */
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly flags?: readonly Flag[];
  readonly examples: readonly string[];
  /** Hidden in help: programs that merkle sets up run the command, not people. */
  readonly hidden?: true;
}

/** One command of `merkle`. Its file is loaded when the command is run. */
export interface Command extends CommandDescription {
  /** The command calls no broker that a project could name, so it also runs beside an untrusted file. */
  readonly offline?: true;
  /** At a terminal the command asks whether to trust a project's file; other commands refuse (CLI-82). */
  readonly asksToTrust?: true;
  /** The command starts the broker or opens its database, so it also reads the folder's `.env.local` and `.env` (CLI-85). */
  readonly envFiles?: true;
  /** Runs the command, and resolves with the exit code. */
  run(context: CommandContext): Promise<number>;
}

/** A command that is not loaded yet. Its description was generated from its file, so help loads no command. */
export interface CommandEntry extends CommandDescription {
  load(): Promise<Command>;
}

/** Commands that help lists together. */
export interface CommandGroup {
  readonly title: string;
  /** The word by which `merkle help <topic>` shows the group. */
  readonly topic: string;
  readonly commands: readonly CommandEntry[];
}

export interface Argument {
  /** The argument in the usage line: `<file>` is required, `[key]` is optional. */
  readonly name: string;
  readonly summary: string;
}

export interface Flag {
  /** The declaration: `--port <number>`, `-q, --quiet`. */
  readonly flags: string;
  readonly summary: string;
  /** Hidden in help: merkle passes the flag to processes that it starts. */
  readonly hidden?: true;
  /** The flag can be repeated, and all of its values count. */
  readonly repeatable?: true;
}

export interface CommandContext {
  /** The arguments in order. A required one is never missing. */
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly config: Config;
  readonly output: Output;
  readonly io: Io;
  /** Aborted by Ctrl+C, SIGTERM and a closed terminal. */
  readonly signal: AbortSignal;
}
