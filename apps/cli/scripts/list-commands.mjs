/** Writes the lines of the commands that help lists, as they stand in the commands' files, which help does not load. Run by tsx: nothing needs to be built. */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { usageOf } from "../src/command/command.ts";
import { commandGroups } from "../src/commands.ts";

const commands = await Promise.all(
  commandGroups.flatMap((group) => group.commands.map((each) => each.load())),
);

const lines = commands.map((command) => {
  const { name, summary, hidden } = command;
  const line = { usage: usageOf(command), summary, ...(hidden && { hidden }) };
  return `${JSON.stringify(name)}: ${JSON.stringify(line)},`;
});

await writeFile(
  fileURLToPath(new URL("../src/command-lines.ts", import.meta.url)),
  `import type { CommandLine } from "./command/command.js";

/** Generated from the commands' files by \`npm run docs\`. */
export const commandLines: Readonly<Record<string, CommandLine>> = {
${lines.join("\n")}
};
`,
);
