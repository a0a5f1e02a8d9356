/**
 * Writes the descriptions of all commands to a file, so that help does not load the commands. Run with tsx,
 * without a build.
 */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { catalogue } from "@merkle/wire/schemas";
import { coreGroups } from "../src/commands.ts";
import { features } from "../src/features.ts";
import { coreSettings } from "../src/settings/settings.ts";

const listed = coreGroups.flatMap(({ topic, commands }) =>
  Object.entries(commands).map(([name, load]) => ({ name, topic, load })),
);
const settings = [...coreSettings];
for (const [feature, load] of Object.entries(features)) {
  const { commands, settings: own = {} } = (await load()).feature;
  settings.push(...Object.values(own));
  for (const group of commands) addCommands(feature, group);
}
const lines = await Promise.all(
  coreGroups.flatMap(({ topic }) => inOrder(listed.filter((each) => each.topic === topic)).map(describe)),
);

const variables = [
  ...settings.flatMap(({ help }) => (help ? [help] : [])),
  ["VISUAL, EDITOR", "editor for merkle doc edit (default: vi)"],
  ["BROWSER", "browser for merkle open (default: the system's browser)"],
  ["PAGER", "pager for long output at a terminal (default: less -FRX); empty for none"],
  ["NO_COLOR", "disables colours"],
];

await writeFile(
  fileURLToPath(new URL("../src/command-descriptions.ts", import.meta.url)),
  `// biome-ignore-all format: it is generated, a command a line
import type { CommandDescription } from "./command/command.js";

/** A command's description, the topic whose group lists it, and the feature that it belongs to; without one, to the core. */
export interface DescribedCommand extends CommandDescription {
  readonly topic: string;
  readonly feature?: string;
}

/** Generated from the commands' files by \`npm run docs\`, in the order in which help lists them. */
export const commandDescriptions: readonly DescribedCommand[] = [
${lines.join("\n")}
];

/** The environment variables that commands read, with their meaning. Generated from the settings by \`npm run docs\`. */
export const environmentVariables: readonly (readonly [names: string, meaning: string])[] = [
${variables.map((each) => `${JSON.stringify(each)},`).join("\n")}
];
`,
);

function addCommands(feature, { topic, after, before, load }) {
  const names = Object.keys(load);
  for (const [index, name] of names.entries()) {
    const place = index === 0 && before ? { before } : { after: names[index - 1] ?? after };
    listed.push({ name, topic, feature, load: load[name], ...place });
  }
}

/**
 * Sorts the commands of a topic. A command with `before` or `after` is placed next to the command that this
 * field names, if the topic has that command.
 */
function inOrder(commands) {
  const names = new Set(commands.map(({ name }) => name));
  const withNeighbours = (command) => [
    ...commands.filter(({ before }) => before === command.name).flatMap(withNeighbours),
    command,
    ...commands.filter(({ after }) => after === command.name).flatMap(withNeighbours),
  ];
  return commands.filter(({ after, before }) => !names.has(after ?? before)).flatMap(withNeighbours);
}

async function describe({ topic, feature, load }) {
  const { run, offline, envFiles, asksToTrust, list, ...description } = await load();
  const fields = list && listFields(list);
  return `${JSON.stringify({ topic, feature, ...description, fields })},`;
}

/** Returns the names of the fields of a list's rows, from the contract. */
function listFields({ operation, rows, added = [] }) {
  const { element } = catalogue[operation].output.shape[rows];
  const shapes = (element.options ?? [element]).map(({ shape }) => Object.keys(shape));
  return [...new Set([...added, ...shapes.flat()])];
}
