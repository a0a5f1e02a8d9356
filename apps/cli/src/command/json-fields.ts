import { type CliError, usageError } from "../core/cli-error.js";
import type { CommandDescription } from "./command.js";

/** The flag that carries the fields of `--json <fields>` once they are separated from the arguments. */
export const fieldsFlag = "--fields";

type ParsedCommand = Pick<CommandDescription, "name" | "fields" | "arguments">;

/**
 * Separates the fields of `--json slug,status` from the arguments of a command that prints a list. A word
 * behind `--json` names fields if it has a comma, is a field, or cannot be an argument. `--json=slug` always
 * names fields.
 */
export function separateFields(argv: readonly string[], commands: readonly ParsedCommand[]): string[] {
  const command = findCommand(argv, commands);
  const { fields } = command ?? {};
  if (!command || !fields) return [...argv];
  const nameEnd = argv.indexOf(command.name.split(" ").at(-1) ?? "");
  const index = argv.findIndex((word) => word === "--json" || word.startsWith("--json="));
  const [flag = "", next = ""] = argv.slice(index, index + 2);
  if (index < 0) return [...argv];
  if (flag.startsWith("--json=")) {
    const names = flag.slice("--json=".length);
    return [...argv.slice(0, index), "--json", `${fieldsFlag}=${names}`, ...argv.slice(index + 1)];
  }
  const canBeArgument = (command.arguments ?? []).length > 0;
  const isFields = /^\w+(?:,\w*)+$/.test(next) || fields.includes(next) || !canBeArgument;
  if (index < nameEnd || !/^[\w,]+$/.test(next) || !isFields) return [...argv];
  return [...argv.slice(0, index + 1), `${fieldsFlag}=${next}`, ...argv.slice(index + 2)];
}

/** Returns the command that a call names. Flags, also with values, may precede its words. */
function findCommand(argv: readonly string[], commands: readonly ParsedCommand[]): ParsedCommand | undefined {
  const words = argv.filter((word) => !word.startsWith("-"));
  for (const [index, word] of words.entries()) {
    const command =
      commands.find(({ name }) => name === `${word} ${words[index + 1]}`) ??
      commands.find(({ name }) => name === word);
    if (command) return command;
  }
  return undefined;
}

/** Returns the error for a field that the rows of a list do not have, or undefined if they have all. */
export async function findFieldProblem(
  names: string,
  { name: command, fields = [] }: ParsedCommand,
): Promise<CliError | undefined> {
  const { findNearest } = await import("@merkle/wire/text");
  const unknown = names.split(",").find((name) => name !== "" && !fields.includes(name));
  if (unknown === undefined && /[^,]/.test(names)) return undefined;
  const suggestion = findNearest(unknown ?? "", fields);
  const problem =
    unknown === undefined
      ? "--json= needs the names of fields."
      : `The rows of merkle ${command} have no field ${JSON.stringify(unknown)}.`;
  const meant = suggestion === undefined || unknown === undefined ? "" : ` Did you mean ${suggestion}?`;
  return usageError(`${problem}${meant} Fields: ${fields.join(", ")}.`);
}
