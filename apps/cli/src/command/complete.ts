import type { CommandDescription, CommandGroup, Flag } from "./command.js";

/** The words that the command line knows by itself for the word that is being typed, and what of it has to be asked of a broker. */
export interface Completion {
  readonly words: readonly string[];
  readonly asks: readonly CompletionTarget[];
}

/** `group` and `who` are those of the session that stands on the line, where one does. */
export interface CompletionTarget {
  readonly is: "session" | "root/path" | "who" | "group";
  readonly session: string | undefined;
}

/**
 * Returns the words that can stand in place of the last of `typed`, the words behind `merkle`: commands, flags, and the values of
 * a flag that takes one of a few. The names of arguments and flags tell what else has to be asked of a broker.
 */
export function complete(
  typed: readonly string[],
  groups: readonly CommandGroup[],
  globalFlags: readonly Flag[],
): Completion {
  const commands = groups.flatMap((group) => group.commands).filter((each) => !each.hidden);
  const before = typed.slice(0, -1);
  const current = typed.at(-1) ?? "";
  const command = findCommand(commands, before);
  if (!command) {
    const known = current.startsWith("-")
      ? [...globalFlags.map(longOf), "--help"]
      : commandWords(commands, before);
    return { words: matching(known, current), asks: [] };
  }
  const flags = [...(command.flags ?? []).filter((each) => !each.hidden), ...globalFlags];
  const line = readLine(before.slice(command.name.split(" ").length), flags);
  if (line.isPassedOn) return nothing;
  const wanted = line.open ?? argumentAt(command, line.args.length);
  if (line.open === undefined && current.startsWith("-")) {
    return { words: matching(flags.map(longOf), current), asks: [] };
  }
  if (wanted === undefined) return nothing;
  const inline = valuesOf(wanted);
  const session = sessionOn(command, line.args);
  return { words: matching(inline, current), asks: inline.length > 0 ? [] : asksOf(wanted, session) };
}

const nothing: Completion = { words: [], asks: [] };

function findCommand(
  commands: readonly CommandDescription[],
  words: readonly string[],
): CommandDescription | undefined {
  const [first, second] = words;
  return (
    commands.find((each) => each.name === `${first} ${second}`) ??
    commands.find((each) => each.name === first)
  );
}

/** The words of commands that go on from those that stand there: `state` and then `get`, `set`. */
function commandWords(commands: readonly CommandDescription[], before: readonly string[]): string[] {
  const names = commands.map((each) => each.name.split(" "));
  if (before.length === 0) return [...names.map(([first = ""]) => first), "help"];
  if (before[0] === "help") return commandWords(commands, before.slice(1));
  if (before.length > 1) return [];
  return names.flatMap(([first, second]) => (first === before[0] && second !== undefined ? [second] : []));
}

interface Line {
  readonly args: readonly string[];
  /** The flag whose value comes next. */
  readonly open: string | undefined;
  /** Behind `--`, where another program's words stand. */
  readonly isPassedOn: boolean;
}

function readLine(words: readonly string[], flags: readonly Flag[]): Line {
  const args: string[] = [];
  let open: string | undefined;
  for (const word of words) {
    if (open !== undefined) open = undefined;
    else if (word === "--") return { args, open, isPassedOn: true };
    else if (word.startsWith("-")) open = valueNameOf(word, flags);
    else args.push(word);
  }
  return { args, open, isPassedOn: false };
}

/** The name of a flag's value, where it takes one that is not joined to it by `=`. */
function valueNameOf(word: string, flags: readonly Flag[]): string | undefined {
  const flag = flags.find((each) => each.flags.split(/[ ,]+/).includes(word));
  return flag && /<[^>]+>/.exec(flag.flags)?.[0];
}

function longOf({ flags }: Flag): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? "";
}

function argumentAt({ arguments: args = [] }: CommandDescription, index: number): string | undefined {
  return args[index]?.name;
}

/** `<now|next|low>` names its values. */
function valuesOf(name: string): string[] {
  return name.includes("|") ? name.slice(1, -1).split("|") : [];
}

function sessionOn(
  { arguments: args = [] }: CommandDescription,
  given: readonly string[],
): string | undefined {
  const place = args.findIndex(({ name }) => isNamed(name, "session"));
  return place < 0 ? undefined : given[place];
}

function asksOf(name: string, session: string | undefined): CompletionTarget[] {
  const found = (["session", "root/path", "who", "group"] as const).find((each) => isNamed(name, each));
  return found === undefined ? [] : [{ is: found, session }];
}

function isNamed(name: string, word: string): boolean {
  return name === `<${word}>` || name === `[${word}]`;
}

function matching(words: readonly string[], current: string): string[] {
  return [...new Set(words)].filter((each) => each !== "" && each.startsWith(current));
}
