import type { Flag, Flags } from "../core/flags.js";
import type { Config } from "../settings/config.js";
import type { Io } from "./io.js";
import type { ListSource } from "./list.js";
import type { Output } from "./output.js";

/** The description of a command, used for help and for parsing. */
export interface CommandDescription {
  /** The command's words, such as `up` or `config get`. */
  readonly name: string;
  /** A one-line description of the command. */
  readonly summary: string;
  readonly arguments?: readonly Argument[];
  readonly flags?: readonly Flag[];
  readonly examples: readonly string[];
  /** The fields of the rows that the command lists, which `--json <fields>` can select. */
  readonly fields?: readonly string[];
  /** Hides the command in help, because only programs that Merkle sets up run it. */
  readonly hidden?: true;
}

/** A command of `merkle`. Its module is loaded when the command runs. */
export interface Command extends CommandDescription {
  /**
   * The command calls no configured broker, so it also runs in a project whose settings file is not trusted.
   */
  readonly offline?: true;
  /**
   * At a terminal, the command asks whether to trust a project's file. Other commands refuse an untrusted
   * file (CLI-82).
   */
  readonly asksToTrust?: true;
  /**
   * The command starts the broker or opens its database, so it also reads `.env.local` and `.env` of the
   * current folder (CLI-85).
   */
  readonly envFiles?: true;
  /** The rows that the command lists, for `fields` of its description. */
  readonly list?: ListSource;
  /** Runs the command. Resolves with the exit code. */
  run(context: CommandContext): Promise<number>;
}

/**
 * A command whose module is not loaded yet. The description is generated at build time, so help loads no
 * modules.
 */
export interface CommandEntry extends CommandDescription {
  load(): Promise<Command>;
}

/** A group of commands that help shows together. */
export interface CommandGroup {
  readonly title: string;
  /** The topic under which `merkle help <topic>` shows the group. */
  readonly topic: string;
  readonly commands: readonly CommandEntry[];
}

export interface Argument {
  /** The argument as shown in the usage line: `<file>` is required, `[key]` is optional. */
  readonly name: string;
  readonly summary: string;
}

export interface CommandContext {
  /** The positional arguments. Required arguments are always present. */
  readonly args: readonly string[];
  readonly flags: Flags;
  readonly config: Config;
  readonly output: Output;
  readonly io: Io;
  /** Aborted by Ctrl+C, by SIGTERM or when the terminal closes. */
  readonly signal: AbortSignal;
}
