import { formatMarkdownTable } from "../../apps/broker/src/transports/reference/markdown-table.js";
import type { CommandDescription } from "../../apps/cli/src/command/command.js";
import { globalFlags } from "../../apps/cli/src/command/program.js";
import { environmentVariables } from "../../apps/cli/src/command-descriptions.js";
import { commandGroups } from "../../apps/cli/src/commands.js";
import type { Flag } from "../../apps/cli/src/core/flags.js";

/** Describes every command that people run, in the groups of `merkle help`, with its arguments and flags. */
export function renderCommandsPage(): string {
  const groups = commandGroups.map(({ title, commands }) => {
    const shown = commands.filter((each) => !each.hidden);
    return [`## ${title}`, ...shown.map(describeCommand)].join("\n\n");
  });
  return ["## Flags of every command", flagTable(globalFlags), ...groups].join("\n\n");
}

export function renderEnvironmentPage(): string {
  return formatMarkdownTable(
    ["Variable", "Meaning"],
    environmentVariables.map(([names, meaning]) => [
      names
        .split(", ")
        .map((name) => `\`${name}\``)
        .join(", "),
      meaning,
    ]),
  );
}

function describeCommand(command: CommandDescription): string {
  const { name, summary, arguments: args = [], flags = [], fields = [] } = command;
  const usage = ["merkle", name, ...args.map((each) => each.name)].join(" ");
  const parts = [`### \`${usage}\``, `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`];
  const shown = flags.filter((each) => !each.hidden);
  if (shown.length > 0) parts.push(flagTable(shown));
  if (fields.length > 0)
    parts.push(`Fields for \`--json\`: ${fields.map((each) => `\`${each}\``).join(", ")}.`);
  return parts.join("\n\n");
}

function flagTable(flags: readonly Flag[]): string {
  return formatMarkdownTable(
    ["Flag", "Meaning"],
    flags.map((each) => [`\`${each.flags}\`${each.repeatable ? ", repeatable" : ""}`, each.summary]),
  );
}
