import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { listManPages } from "../../apps/cli/src/command/man-pages.js";
import { commandGroups } from "../../apps/cli/src/commands.js";

export const cliPackageFile = "apps/cli/package.json";

/**
 * Renders the description of the npm package with the list of its man pages. npm links only pages that this
 * list names when it installs a package.
 */
export function renderCliPackage(): string {
  const text = readFileSync(fileURLToPath(new URL(`../../${cliPackageFile}`, import.meta.url)), "utf8");
  const { man: _, ...fields } = JSON.parse(text);
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    name === "bin"
      ? [
          [name, value],
          ["man", listManPages(commandGroups)],
        ]
      : [[name, value]],
  );
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}
