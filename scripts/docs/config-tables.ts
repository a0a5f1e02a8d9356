import { formatMarkdownTable } from "../../apps/broker/src/transports/reference/markdown-table.js";
import { listFeatureSettings } from "../../apps/cli/src/feature-hooks.js";
import type { DocumentedKey } from "../../apps/cli/src/settings/setting.js";
import { coreSettings } from "../../apps/cli/src/settings/settings.js";

/** Tables of the keys that config.json can contain, with an example, default and meaning. */
export async function renderConfigTables(): Promise<string> {
  const settings = [...coreSettings, ...Object.values(await listFeatureSettings())];
  const keys = settings.flatMap(({ key }) => key ?? []);
  const table = formatMarkdownTable(
    ["Key", "In", "Example", "Default", "Meaning"],
    keys.map(({ name, inProject, example, defaultText, meaning }) => [
      `\`${name}\``,
      inProject ? "both" : "config.json",
      `\`${example}\``,
      defaultText,
      meaning,
    ]),
  );
  const blocks = keys.flatMap(({ name, keys: inner }) =>
    inner ? [`## \`${name}\``, renderInnerTable(inner)] : [],
  );
  return [table, ...blocks].join("\n\n");
}

function renderInnerTable(keys: Readonly<Record<string, DocumentedKey>>): string {
  return formatMarkdownTable(
    ["Key", "Example", "Default", "Meaning"],
    Object.entries(keys).map(([key, { example, defaultText, meaning }]) => [
      `\`${key}\``,
      `\`${example}\``,
      defaultText,
      meaning,
    ]),
  );
}
