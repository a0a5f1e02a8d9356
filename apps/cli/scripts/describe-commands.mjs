/** Writes what help shows of the commands, as it stands in their files, which help does not load. Run by tsx: nothing needs to be built. */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { commandGroups } from "../src/commands.ts";

const commands = await Promise.all(
  commandGroups.flatMap((group) => group.commands.map((each) => each.load())),
);

const lines = commands.map(
  ({ run, offline, envFiles, asksToTrust, ...description }) =>
    `${JSON.stringify(description.name)}: ${JSON.stringify(description)},`,
);

await writeFile(
  fileURLToPath(new URL("../src/command-descriptions.ts", import.meta.url)),
  `// biome-ignore-all format: it is generated, a command a line
import type { CommandDescription } from "./command/command.js";

/** Generated from the commands' files by \`npm run docs\`. */
export const commandDescriptions: Readonly<Record<string, CommandDescription>> = {
${lines.join("\n")}
};
`,
);
