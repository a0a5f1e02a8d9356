import type { Flag } from "../core/flags.js";
import type { CommandDescription, CommandGroup } from "./command.js";
import { frontCommands } from "./front-help.js";

/** Returns the front page of help: the commands for a user's first week, and how to list all others. */
export function formatFrontHelp(commands: readonly CommandDescription[], columns: number): string {
  // A build can leave out features with their commands.
  const known = frontCommands.filter(([name]) => commands.some((each) => each.name === name));
  return joinSections(
    "Coding agents from different people, working together.",
    formatSection("Commands", known, columns),
    formatSection(
      "More",
      [
        ["merkle help --all", "all commands, by topic"],
        ["merkle help <command>", "its flags and examples"],
      ],
      columns,
    ),
  );
}

/** Returns help for a group of commands. */
export function formatTopicHelp({ title, commands }: CommandGroup, columns: number): string {
  const shown = commands.filter((each) => !each.hidden);
  return joinSections(
    formatSection(
      title,
      shown.map((each): HelpRow => [formatUsage(each), each.summary]),
      columns,
    ),
    "More: merkle help <command>, merkle help --all",
  );
}

export function formatFlagsHelp(globalFlags: readonly Flag[], columns: number): string {
  const flags = formatSection("Flags of every command", [...globalFlags.map(toRow), helpFlagRow], columns);
  return joinSections(flags, formatExitCodes(columns));
}

/** Returns help for all commands by topic, with all global flags. */
export function formatRootHelp(
  groups: readonly CommandGroup[],
  globalFlags: readonly Flag[],
  columns: number,
): string {
  const topics = groups.filter(({ topic }) => topic !== "");
  const rows = topics.map(({ title, topic, commands }) => ({
    title: `${title} (merkle help ${topic})`,
    rows: commands.filter((each) => !each.hidden).map((each): HelpRow => [each.name, each.summary]),
  }));
  const width = Math.max(...rows.flatMap((group) => group.rows.map(([left]) => left.length)));
  return joinSections(
    wrapSentence("Merkle is a shared room for coding agents from different people and machines.", columns),
    ...rows.map((group) => formatSection(group.title, group.rows, columns, width)),
    formatSection("Flags of every command", [...globalFlags.map(toRow), helpFlagRow], columns),
    formatExitCodes(columns),
    formatSection(
      "More",
      [
        ["merkle help <command>", "arguments, flags and examples of a command"],
        ["merkle help environment", "the variables that commands read"],
        ["merkle --version", "print the version"],
      ],
      columns,
    ),
  );
}

const exitCodesLines = [
  "Exit codes: 0 done, 1 unexpected, 2 usage, 3 broker unreachable, 4 refused,",
  "5 not found, 6 conflict, 7 session closed or held, 8 verification failed, 130 interrupted.",
];

function formatExitCodes(columns: number): string {
  return exitCodesLines.map((line) => wrapSentence(line, columns)).join("\n");
}

/** Returns help for the environment variables, which apply to many commands. */
export function formatEnvironmentHelp(variables: readonly HelpRow[], columns: number): string {
  return joinSections(
    wrapSentence(
      "Flags take precedence over these variables. The variables take precedence over a trusted .merkle.json, config.json and the defaults.",
      columns,
    ),
    wrapSentence(
      "up, upgrade, backup, restore, doctor and config list also read .env.local and .env of the current folder; the environment takes precedence.",
      columns,
    ),
    formatSection("Variables", variables, columns),
  );
}

export function formatGroupHelp(
  name: string,
  members: readonly CommandDescription[],
  columns: number,
): string {
  return joinSections(
    `Commands of merkle ${name}.`,
    formatExamples(members.flatMap((each) => each.examples.slice(0, 1)).slice(0, 3)),
    formatSection(
      "Commands",
      members.map((each): HelpRow => [formatUsage(each), each.summary]),
      columns,
    ),
    inheritedFlags,
  );
}

export function formatCommandHelp(command: CommandDescription, columns: number): string {
  const { summary, arguments: args = [] } = command;
  const flags = (command.flags ?? []).filter((each) => !each.hidden);
  return joinSections(
    wrapSentence(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`, columns),
    formatExamples(command.examples),
    `Usage: merkle ${formatUsage(command)}${flags.length > 0 ? " [flags]" : ""}`,
    formatSection(
      "Arguments",
      args.map((each): HelpRow => [each.name, each.summary]),
      columns,
    ),
    formatSection("Flags", flags.map(toRow), columns),
    command.fields ? wrapSentence(`Fields for --json: ${command.fields.join(", ")}.`, columns) : "",
    inheritedFlags,
  );
}

/** The line that replaces the list of global flags in a command's help. */
const inheritedFlags = "Flags of every command, such as --json: merkle help flags";

/** The left and the right column of a line in help. */
export type HelpRow = readonly [string, string];

const helpFlagRow: HelpRow = ["-h, --help", "show this"];

function formatUsage({ name, arguments: args = [] }: CommandDescription): string {
  return [name, ...args.map((each) => each.name)].join(" ");
}

function toRow({ flags, summary }: Flag): HelpRow {
  return [flags, summary];
}

function formatExamples(lines: readonly string[]): string {
  return lines.map((line) => `  $ ${line}`).join("\n");
}

function formatSection(
  title: string,
  rows: readonly HelpRow[],
  columns: number,
  width = Math.max(...rows.map(([left]) => left.length)),
): string {
  if (rows.length === 0) return "";
  return [`${title}:`, ...rows.map((row) => formatRow(row, width, columns))].join("\n");
}

/**
 * Formats a row of help. Wraps the right column, or moves it below the left column if there is little room.
 */
function formatRow([left, right]: HelpRow, width: number, columns: number): string {
  const columnIndent = " ".repeat(width + 4);
  const isSideBySide = columns - columnIndent.length >= rightColumnMin;
  const indent = isSideBySide ? columnIndent : "      ";
  const [first = "", ...rest] = wrapWords(right, Math.max(rightColumnMin, columns - indent.length));
  const head = isSideBySide ? [`  ${left.padEnd(width)}  ${first}`] : [`  ${left}`, indent + first];
  return [...head, ...rest.map((line) => indent + line)].join("\n");
}

const rightColumnMin = 32;

function wrapSentence(text: string, columns: number): string {
  return wrapWords(text, columns).join("\n");
}

function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

function joinSections(...parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
