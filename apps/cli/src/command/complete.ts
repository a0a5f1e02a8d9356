import type { Flag } from "../core/flags.js";
import type { CommandDescription, CommandGroup } from "./command.js";

/**
 * The completions for the word being typed: words known locally, and the kinds of names to request from a
 * broker.
 */
export interface Completion {
  readonly words: readonly string[];
  readonly asks: readonly CompletionTarget[];
}

/**
 * A kind of completion that only the broker can provide. `group` and `who` are completed from the session on
 * the command line, if any.
 */
export interface CompletionTarget {
  readonly is: "session" | "root/path" | "who" | "group";
  readonly session: string | undefined;
}

/**
 * Returns the completions for the last word of `typed`, which contains the words after `merkle`. Includes
 * commands, flags and the values of enumerated flags. The names of arguments and flags determine what to
 * request from the broker.
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

/** Returns the words that can follow `before` in a command, such as `get` and `set` after `state`. */
function commandWords(commands: readonly CommandDescription[], before: readonly string[]): string[] {
  const names = commands.map((each) => each.name.split(" "));
  if (before.length === 0) return [...names.map(([first = ""]) => first), "help"];
  if (before[0] === "help") return commandWords(commands, before.slice(1));
  if (before.length > 1) return [];
  return names.flatMap(([first, second]) => (first === before[0] && second !== undefined ? [second] : []));
}

interface Line {
  readonly args: readonly string[];
  /** The name of the value expected next, if the last flag still needs one. */
  readonly open: string | undefined;
  /** Whether the current word is after `--` and so belongs to another program. */
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

/** Returns the name of a flag's value, if the flag takes the next word as its value. */
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

/** Returns the values allowed by a value name such as `<now|next|low>`. */
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
