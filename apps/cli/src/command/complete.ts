import type { Flag } from "../core/flags.js";
import type { CommandDescription, CommandGroup } from "./command.js";

/**
 * The completions for the word being typed: words known locally, and the kinds of names to request from a
 * broker.
 */
export interface Completion {
  readonly words: readonly string[];
  readonly targets: readonly CompletionTarget[];
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
      ? [...globalFlags.map(toLongFlag), "--help"]
      : listNextWords(commands, before);
    return { words: filterByPrefix(known, current), targets: [] };
  }
  const flags = [...(command.flags ?? []).filter((each) => !each.hidden), ...globalFlags];
  const line = parseLine(before.slice(command.name.split(" ").length), flags);
  if (line.isPassedOn) return noCompletion;
  const expectedName = line.expectedValue ?? findArgumentName(command, line.args.length);
  if (line.expectedValue === undefined && current.startsWith("-")) {
    return { words: filterByPrefix(flags.map(toLongFlag), current), targets: [] };
  }
  if (expectedName === undefined) return noCompletion;
  const allowedValues = toAllowedValues(expectedName);
  const session = findSessionArgument(command, line.args);
  return {
    words: filterByPrefix(allowedValues, current),
    targets: allowedValues.length > 0 ? [] : toTargets(expectedName, session),
  };
}

const noCompletion: Completion = { words: [], targets: [] };

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
function listNextWords(commands: readonly CommandDescription[], before: readonly string[]): string[] {
  const names = commands.map((each) => each.name.split(" "));
  if (before.length === 0) return [...names.map(([first = ""]) => first), "help"];
  if (before[0] === "help") return listNextWords(commands, before.slice(1));
  if (before.length > 1) return [];
  return names.flatMap(([first, second]) => (first === before[0] && second !== undefined ? [second] : []));
}

interface Line {
  readonly args: readonly string[];
  /** The name of the value expected next, if the last flag still needs one. */
  readonly expectedValue: string | undefined;
  /** Whether the current word is after `--` and so belongs to another program. */
  readonly isPassedOn: boolean;
}

function parseLine(words: readonly string[], flags: readonly Flag[]): Line {
  const args: string[] = [];
  let expectedValue: string | undefined;
  for (const word of words) {
    if (expectedValue !== undefined) expectedValue = undefined;
    else if (word === "--") return { args, expectedValue, isPassedOn: true };
    else if (word.startsWith("-")) expectedValue = findValueName(word, flags);
    else args.push(word);
  }
  return { args, expectedValue, isPassedOn: false };
}

/** Returns the name of a flag's value, if the flag takes the next word as its value. */
function findValueName(word: string, flags: readonly Flag[]): string | undefined {
  const flag = flags.find((each) => each.flags.split(/[ ,]+/).includes(word));
  return flag && /<[^>]+>/.exec(flag.flags)?.[0];
}

function toLongFlag({ flags }: Flag): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? "";
}

function findArgumentName({ arguments: args = [] }: CommandDescription, index: number): string | undefined {
  return args[index]?.name;
}

/** Returns the values allowed by a value name such as `<now|next|low>`. */
function toAllowedValues(name: string): string[] {
  return name.includes("|") ? name.slice(1, -1).split("|") : [];
}

function findSessionArgument(
  { arguments: args = [] }: CommandDescription,
  typedArgs: readonly string[],
): string | undefined {
  const index = args.findIndex(({ name }) => isNamed(name, "session"));
  return index < 0 ? undefined : typedArgs[index];
}

function toTargets(name: string, session: string | undefined): CompletionTarget[] {
  const targetKind = (["session", "root/path", "who", "group"] as const).find((each) => isNamed(name, each));
  return targetKind === undefined ? [] : [{ is: targetKind, session }];
}

function isNamed(name: string, word: string): boolean {
  return name === `<${word}>` || name === `[${word}]`;
}

function filterByPrefix(words: readonly string[], current: string): string[] {
  return [...new Set(words)].filter((each) => each !== "" && each.startsWith(current));
}
