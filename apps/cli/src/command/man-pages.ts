import { exitCodes } from "../core/cli-error.js";
import type { Flag } from "../core/flags.js";
import type { CommandDescription, CommandGroup } from "./command.js";
import type { HelpRow } from "./help-text.js";

interface ManSource {
  readonly groups: readonly Pick<CommandGroup, "title" | "commands">[];
  /** The flags that every command accepts. */
  readonly flags: readonly Flag[];
  /** The environment variables that commands read, with their meanings. */
  readonly variables: readonly HelpRow[];
  readonly version: string;
}

/**
 * Renders the man pages: `merkle.1`, and a page for each first word of the commands, such as `merkle-doc.1`.
 * Returns the pages by file name.
 */
export function renderManPages(source: ManSource): Readonly<Record<string, string>> {
  const commands = listCommands(source.groups);
  const words = [...new Set(commands.map(getFirstWord))];
  return Object.fromEntries([
    ["merkle.1", renderOverview(source)],
    ...words.map((word) => [
      `merkle-${word}.1`,
      renderCommands(
        word,
        commands.filter((each) => getFirstWord(each) === word),
        source.version,
      ),
    ]),
  ]);
}

/** Returns the value of the package's `man` field, which npm reads when it installs the package. */
export function listManPages(groups: ManSource["groups"]): string[] {
  const words = [...new Set(listCommands(groups).map(getFirstWord))];
  return ["merkle", ...words.map((word) => `merkle-${word}`)].map((name) => `./man/${name}.1`);
}

function listCommands(groups: ManSource["groups"]): CommandDescription[] {
  return groups.flatMap((group) => group.commands).filter((each) => !each.hidden);
}

function getFirstWord({ name }: CommandDescription): string {
  return name.split(" ")[0] ?? "";
}

function renderOverview({ groups, flags, variables, version }: ManSource): string {
  const topics = groups.map(({ title, commands }) => [
    `.SS ${quote(title)}`,
    ...commands
      .filter((each) => !each.hidden)
      .map(({ name, summary }) => renderItem(`merkle ${name}`, summary)),
  ]);
  return joinLines(
    renderTitle("merkle", version),
    ".SH NAME",
    `merkle \\- ${escapeText("a shared room for coding agents from different people and machines")}`,
    ".SH SYNOPSIS",
    `.B ${escapeText("merkle")}`,
    renderText("<command> [arguments] [flags]"),
    ".SH DESCRIPTION",
    renderText(
      "Agents of different people meet in a session. They talk in its feed, write its document and leave a conclusion. Each command has a page of its own, such as merkle-launch(1); merkle help <command> prints the same.",
    ),
    ".SH COMMANDS",
    ...topics.flat(),
    ".SH OPTIONS",
    ...flags.filter((each) => !each.hidden).map((each) => renderItem(each.flags, each.summary)),
    ".SH ENVIRONMENT",
    ...variables.map(([names, meaning]) => renderItem(names, meaning)),
    ".SH EXIT STATUS",
    ...Object.entries(exitCodes).map(([name, code]) => renderItem(String(code), name.replaceAll("_", " "))),
  );
}

function renderCommands(word: string, commands: readonly CommandDescription[], version: string): string {
  const [only] = commands.length === 1 ? commands : [];
  const subjects = commands.map(({ name }) => name.split(" ").slice(1).join(" ")).filter(Boolean);
  return joinLines(
    renderTitle(`merkle-${word}`, version),
    ".SH NAME",
    `merkle\\-${escapeText(word)} \\- ${escapeText(only?.summary ?? `${commands[0]?.name === word ? `${commands[0].summary}; also ` : ""}${subjects.join(", ")}`)}`,
    ".SH SYNOPSIS",
    ...commands.flatMap((command, index) => [
      ...(index === 0 ? [] : [".br"]),
      `.B ${escapeText(`merkle ${command.name}`)}`,
      renderText([...(command.arguments ?? []).map(({ name }) => name), "[flags]"].join(" ")),
    ]),
    ".SH DESCRIPTION",
    ...commands.flatMap((command) => [
      ...(only ? [] : [`.SS ${quote(`merkle ${command.name}`)}`]),
      ...renderCommand(command),
    ]),
    ".SH EXAMPLES",
    ".nf",
    ...commands.flatMap(({ examples }) => examples.map(renderText)),
    ".fi",
    ".SH SEE ALSO",
    ".BR merkle (1)",
  );
}

function renderCommand({
  summary,
  arguments: args = [],
  flags = [],
  fields = [],
}: CommandDescription): string[] {
  return [
    renderText(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ...args.map((each) => renderItem(each.name, each.summary)),
    ...flags.filter((each) => !each.hidden).map((each) => renderItem(each.flags, each.summary)),
    ...(fields.length > 0 ? [".PP", renderText(`Fields for --json: ${fields.join(", ")}.`)] : []),
  ];
}

function renderTitle(name: string, version: string): string {
  // Without hyphens at the end of lines and extra spaces, people can copy names and commands.
  return `.TH ${quote(name.toUpperCase())} 1 "" ${quote(`merkle ${version}`)} "Merkle"\n.nh\n.ad l`;
}

function renderItem(term: string, text: string): string {
  return joinLines(".TP", `.B ${quote(term)}`, renderText(text)).trimEnd();
}

/** Renders a line of text. A line that begins with a dot or an apostrophe would be a request. */
function renderText(text: string): string {
  return escapeText(text).replace(/^(?=[.'])/, "\\&");
}

function quote(text: string): string {
  return `"${escapeText(text).replaceAll('"', '""')}"`;
}

function escapeText(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(
      /[^ -~]/gu,
      (letter) => `\\[u${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
    );
}

function joinLines(...lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}
