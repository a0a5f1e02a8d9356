import { Option, Command as Parser } from "commander";
import { usageError } from "../core/cli-error.js";
import { explainUsage } from "../core/explain-error.js";
import { type Flag, type Flags, findFlag } from "../core/flags.js";
import { listFlags } from "../settings/settings.js";
import type { Command, CommandEntry, CommandGroup } from "./command.js";
import { type CommonHelp, formatJsonHelp } from "./help-json.js";
import {
  formatCommandHelp,
  formatEnvironmentHelp,
  formatFlagsHelp,
  formatFrontHelp,
  formatGroupHelp,
  formatRootHelp,
  formatTopicHelp,
} from "./help-text.js";
import { findHint } from "./hints.js";
import { getColumns, type TextStream } from "./io.js";
import { fieldsFlag, findFieldProblem } from "./json-fields.js";

/** The flags that every command accepts. */
export const globalFlags: readonly Flag[] = [
  {
    flags: "--json",
    summary:
      "one JSON document instead of text; errors as JSON on stderr; after it, fields of a list: slug,title",
  },
  ...listFlags("every command"),
  { flags: "--no-color", summary: "disable colours" },
  { flags: "--no-pager", summary: "print long output at once, without $PAGER" },
  { flags: "--no-input", summary: "never prompt; a missing answer is an error" },
  { flags: "-q, --quiet", summary: "hide progress and hints" },
  { flags: "-v, --verbose", summary: "print debug output to stderr" },
];

/** Returns help about a topic, a command or a group of commands. An empty `about` requests all help. */
type HelpOn = (about: string, text: () => string) => string;

type Run = (command: Command, args: readonly string[], flags: Flags) => Promise<void>;

/**
 * Creates the parser for one call of `merkle`. Registers only commands whose first word occurs in `argv`,
 * because registering all of them takes longer than most commands run.
 */
export function createProgram(
  groups: readonly CommandGroup[],
  {
    argv,
    stdout,
    variables,
    run,
  }: Pick<CommonHelp, "variables"> & {
    readonly argv: readonly string[];
    readonly stdout: TextStream;
    readonly run: Run;
  },
): Parser {
  const commands = groups.flatMap((group) => group.commands);
  const columns = getColumns(stdout);
  const program = new Parser("merkle")
    .exitOverride()
    // The parser prints no errors: the caller prints them, all in the same format.
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: () => undefined })
    .helpOption("-h, --help", "show this")
    .helpCommand(false);
  for (const each of globalFlags) program.option(each.flags, each.summary);
  /** Returns the requested help. With `--json`, returns data about the matching commands or topic. */
  const helpOn = (about: string, text: () => string): string =>
    program.opts()["json"] === true
      ? formatJsonHelp(
          groups,
          { flags: globalFlags, variables },
          ({ name }, topic) => about === "" || `${name} `.startsWith(`${about} `) || topic === about,
        )
      : text();
  program.configureHelp({ formatHelp: () => helpOn("", () => formatFrontHelp(commands, columns)) });
  // Handles calls that do not begin with a known command. Prints help if there are no words at all.
  program.argument("[command...]").action(async (words: readonly string[]) => {
    if (words.length > 0) throw await unknownCommand(words, commands);
    program.outputHelp();
  });
  addHelp(program, groups, { columns, stdout, variables, helpOn });
  for (const command of commands)
    if (argv.includes(getFirstWord(command)))
      addCommand(program, { commands, columns, helpOn }, command, run);
  return program;
}

function getFirstWord({ name }: CommandEntry): string {
  return name.split(" ")[0] ?? "";
}

/** All commands, and the options for showing help. */
interface KnownCommands {
  readonly commands: readonly CommandEntry[];
  readonly columns: number;
  readonly helpOn: HelpOn;
}

function addCommand(program: Parser, known: KnownCommands, command: CommandEntry, run: Run): void {
  const [first = "", second] = command.name.split(" ");
  const parser =
    second === undefined ? program.command(first) : findGroup(program, known, first).command(second);
  for (const each of command.arguments ?? []) parser.argument(each.name, each.summary);
  for (const each of command.flags ?? []) {
    parser.addOption(toOption(each));
  }
  if (command.fields) parser.addOption(new Option(`${fieldsFlag} <names>`).hideHelp());
  parser.configureHelp({
    formatHelp: () => known.helpOn(command.name, () => formatCommandHelp(command, known.columns)),
  });
  parser.exitOverride((error) => {
    throw error.exitCode === 0 ? error : explainUsage(error.message, `merkle help ${command.name}`);
  });
  parser.action(async () => {
    const flags = removeFlagMarks(parser.optsWithGlobals());
    const fields = findFlag(flags, "fields");
    const problem = fields === undefined ? undefined : await findFieldProblem(fields, command);
    if (problem) throw problem;
    await run(await command.load(), parser.args.map(removeDashMark), flags);
  });
}

function toOption({ flags, summary, hidden, repeatable }: Flag): Option {
  const option = new Option(flags, summary).hideHelp(hidden === true);
  return repeatable ? option.argParser((value, before: string[] = []) => [...before, value]) : option;
}

/**
 * Returns the parser of a command group. When called with only the group's word, such as `config`, it reports
 * the commands in the group.
 */
function findGroup(program: Parser, { commands, columns, helpOn }: KnownCommands, name: string): Parser {
  const existing = program.commands.find((each) => each.name() === name);
  if (existing) return existing;
  const members = commands.filter((each) => each.name.startsWith(`${name} `));
  const group = program.command(name).argument("[command...]");
  group.configureHelp({
    formatHelp: () => helpOn(name, () => formatGroupHelp(name, members, columns)),
  });
  group.action(async ([word]: readonly string[]) => {
    const known = members.map((each) => each.name.slice(name.length + 1));
    if (word === undefined) {
      throw usageError(
        `merkle ${name} needs one of these commands: ${known.join(", ")}.`,
        `merkle help ${name}`,
      );
    }
    throw await unknownWord(
      `merkle ${name} has no command ${JSON.stringify(word)}.`,
      word,
      known,
      `merkle help ${name}`,
    );
  });
  return group;
}

function addHelp(
  program: Parser,
  groups: readonly CommandGroup[],
  {
    columns,
    stdout,
    variables,
    helpOn,
  }: Pick<CommonHelp, "variables"> & {
    readonly columns: number;
    readonly stdout: TextStream;
    readonly helpOn: HelpOn;
  },
): void {
  const commands = groups.flatMap((group) => group.commands);
  program
    .command("help")
    .argument("[command...]")
    .option("--all", "all commands, by topic")
    .action(async (named: readonly string[], { all = false }: { readonly all?: boolean }) => {
      const words = all && named.length === 0 ? ["all"] : named;
      const topic =
        words.length === 1 ? findTopicHelp(words[0] ?? "", groups, { variables, columns }) : undefined;
      if (topic !== undefined) {
        const about = groups.some((each) => each.topic === words[0]) ? (words[0] ?? "") : "";
        stdout.write(helpOn(about, () => topic));
        return;
      }
      let parser = program;
      for (const word of words) {
        const next = parser.commands.find((each) => each.name() === word);
        if (!next) throw await unknownCommand(words, commands, listTopics(groups));
        parser = next;
      }
      parser.outputHelp();
    });
}

/** Returns help about a topic that is not a command. Undefined if the topic does not exist. */
function findTopicHelp(
  topic: string,
  groups: readonly CommandGroup[],
  { variables, columns }: Pick<CommonHelp, "variables"> & { readonly columns: number },
): string | undefined {
  if (topic === "environment") return formatEnvironmentHelp(variables, columns);
  if (topic === "flags") return formatFlagsHelp(globalFlags, columns);
  if (topic === "all") return formatRootHelp(groups, globalFlags, columns);
  const group = groups.find((each) => each.topic === topic);
  return group && formatTopicHelp(group, columns);
}

function listTopics(groups: readonly CommandGroup[]): string[] {
  return [...groups.map((each) => each.topic), "environment", "flags", "all"].filter((each) => each !== "");
}

async function unknownCommand(
  words: readonly string[],
  all: readonly CommandEntry[],
  topics: readonly string[] = [],
): Promise<Error> {
  const { findNearest: nearest } = await import("@merkle/wire/text");
  const typed = words.join(" ");
  const problem = `There is no command ${JSON.stringify(typed)}.`;
  const hint = findHint(words, all);
  if (hint) return usageError(problem, ...hint);
  const commands = all.filter((each) => !each.hidden);
  const groups = commands.map(getFirstWord);
  const known = [...new Set([...groups, ...commands.map((each) => each.name), ...topics, "help"])];
  const near = nearest(typed, known) === undefined ? (words[0] ?? "") : typed;
  return unknownWord(problem, near, known, "merkle help");
}

async function unknownWord(
  problem: string,
  word: string,
  known: readonly string[],
  help: string,
): Promise<Error> {
  const { findNearest: nearest } = await import("@merkle/wire/text");
  const suggestion = nearest(word, known);
  return usageError(suggestion === undefined ? problem : `${problem} Did you mean ${suggestion}?`, help);
}

/**
 * Marks arguments that contain Markdown beginning with a dash, such as `- one`. The parser would treat them
 * as flags, although no flag contains a space. The mark is a character that no argument can contain, and is
 * removed after parsing.
 */
export function markDashedText(argv: readonly string[]): string[] {
  return argv.map((each) => (/^-[^\s=]*\s/.test(each) ? `${mark}${each}` : each));
}

export function removeDashMark(text: string): string {
  return text.startsWith(mark) ? text.slice(mark.length) : text;
}

export function removeFlagMarks(flags: Flags): Flags {
  return Object.fromEntries(
    Object.entries(flags).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(removeValueMark) : removeValueMark(value),
    ]),
  );
}

function removeValueMark(value: unknown): unknown {
  return typeof value === "string" ? removeDashMark(value) : value;
}

const mark = "\u0000";
