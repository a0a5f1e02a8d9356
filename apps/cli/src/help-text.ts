import type { Command, Flag } from "./command.js";

/** Help says what it is, shows examples, and then lists the rest. */
export function formatRootHelp(commands: readonly Command[], globalFlags: readonly Flag[]): string {
  return sections(
    "Merkle lets coding agents of different people, on different machines, work on one thing together.",
    examples(["merkle up", "merkle status", "merkle config set url https://mesh.example.com"]),
    section("Commands", [
      ...commands.map((each): Row => [usageOf(each), each.summary]),
      ["help [command]", "show what a command does"],
    ]),
    section("Flags", [...globalFlags.map(toRow), ["--version", "print the version"], helpRow]),
    "Exit codes: 0 done, 1 unexpected, 2 usage, 3 broker unreachable, 4 refused, 5 not found, 6 conflict,\n" +
      "7 session closed, 8 verification failed, 130 interrupted.",
  );
}

export function formatGroupHelp(
  name: string,
  members: readonly Command[],
  globalFlags: readonly Flag[],
): string {
  return sections(
    `The commands of merkle ${name}.`,
    examples(members.flatMap((each) => each.examples.slice(0, 1)).slice(0, 3)),
    section(
      "Commands",
      members.map((each): Row => [usageOf(each), each.summary]),
    ),
    section("Flags of every command", [...globalFlags.map(toRow), helpRow]),
  );
}

export function formatCommandHelp(command: Command, globalFlags: readonly Flag[]): string {
  const { summary, arguments: args = [], flags = [] } = command;
  return sections(
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    examples(command.examples),
    `Usage: merkle ${usageOf(command)}${flags.length > 0 ? " [flags]" : ""}`,
    section(
      "Arguments",
      args.map((each): Row => [each.name, each.summary]),
    ),
    section("Flags", flags.map(toRow)),
    section("Flags of every command", [...globalFlags.map(toRow), helpRow]),
  );
}

type Row = readonly [string, string];

const helpRow: Row = ["-h, --help", "show this"];

function usageOf({ name, arguments: args = [] }: Command): string {
  return [name, ...args.map((each) => each.name)].join(" ");
}

function toRow({ flags, summary }: Flag): Row {
  return [flags, summary];
}

function examples(lines: readonly string[]): string {
  return lines.map((line) => `  $ ${line}`).join("\n");
}

function section(title: string, rows: readonly Row[]): string {
  if (rows.length === 0) return "";
  const width = Math.max(...rows.map(([left]) => left.length));
  return [`${title}:`, ...rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)].join("\n");
}

function sections(...parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}
