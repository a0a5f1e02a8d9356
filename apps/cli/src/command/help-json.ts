import { exitCodes } from "../core/cli-error.js";
import type { Flag } from "../core/flags.js";
import type { CommandDescription, CommandGroup } from "./command.js";
import type { HelpRow } from "./help-text.js";

/** The parts of help that do not belong to a single command. */
export interface CommonHelp {
  /** The flags that every command accepts. */
  readonly flags: readonly Flag[];
  /** The environment variables that commands read, with their meanings. */
  readonly variables: readonly HelpRow[];
}

/**
 * Formats help as JSON for the selected commands. `npm run docs` generates the reference from the same data.
 */
export function formatJsonHelp(
  groups: readonly CommandGroup[],
  { flags: globalFlags, variables }: CommonHelp,
  isSelected: (command: CommandDescription, topic: string) => boolean,
): string {
  const commands = groups.flatMap(({ topic, commands }) =>
    commands.filter((each) => !each.hidden && isSelected(each, topic)).map((each) => describe(each, topic)),
  );
  const environment = variables.flatMap(([names, summary]) =>
    names.split(", ").map((name) => ({ name, summary })),
  );
  const help = { commands, flags: globalFlags.map(describeFlag), environment, exit_codes: exitCodes };
  return `${JSON.stringify(help)}\n`;
}

function describe(command: CommandDescription, topic: string) {
  const { name, summary, arguments: args = [], flags = [], examples, fields } = command;
  const shown = flags.filter((each) => !each.hidden).map(describeFlag);
  return { name, topic, summary, arguments: args, flags: shown, examples, fields };
}

function describeFlag({ flags, summary, repeatable }: Flag) {
  return { flags, summary, repeatable: repeatable === true };
}
