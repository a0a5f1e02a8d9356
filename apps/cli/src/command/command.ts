import type { Flags } from "../core/flags.js";
import type { Config } from "../settings/config.js";
import type { Io } from "./io.js";
import type { Output } from "./output.js";

/** A command as help shows it and its line is parsed. */
export interface CommandDescription {
  /** As it is typed: `up`, `config get`. */
  readonly name: string;
  /** One line: what it does. */
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly flags?: readonly Flag[];
  readonly examples: readonly string[];
  /** Left out of help: run by programs that merkle sets up, not by people. */
  readonly hidden?: true;
}

/** One command of `merkle`, in a file of its own that is loaded when the command is run. */
export interface Command extends CommandDescription {
  /** Calls no broker that a project could name: it runs where a project's file is not trusted, too. */
  readonly offline?: true;
  /** At a terminal it asks whether a project's file is to be trusted, where other commands stop (CLI-82). */
  readonly asksToTrust?: true;
  /** Starts the broker or opens its database: `.env.local` and `.env` of the folder say how, too (CLI-85). */
  readonly envFiles?: true;
  /** Does it, and resolves with the exit code. */
  run(context: CommandContext): Promise<number>;
}

/** A command that is not loaded. Its description is generated from its file, so that help loads none. */
export interface CommandEntry extends CommandDescription {
  load(): Promise<Command>;
}

/** Commands that help lists together. */
export interface CommandGroup {
  readonly title: string;
  /** The word by which `merkle help <topic>` shows them. */
  readonly topic: string;
  readonly commands: readonly CommandEntry[];
}

export interface Argument {
  /** As in the usage line: `<file>` is required, `[key]` is not. */
  readonly name: string;
  readonly summary: string;
}

export interface Flag {
  /** As it is declared: `--port <number>`, `-q, --quiet`. */
  readonly flags: string;
  readonly summary: string;
  /** Left out of help: given by merkle itself, to processes that it starts. */
  readonly hidden?: true;
  /** Given several times, all of its values are kept. */
  readonly repeatable?: true;
}

export interface CommandContext {
  /** The arguments in their order; a required one is never missing. */
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly config: Config;
  readonly output: Output;
  readonly io: Io;
  /** Aborted by Ctrl+C, SIGTERM and a closed terminal. */
  readonly signal: AbortSignal;
}
