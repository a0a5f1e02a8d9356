import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { canAsk } from "../../command/ask.js";
import type { Command } from "../../command/command.js";
import { exitCodes, usageError } from "../../core/cli-error.js";
import { homeFiles } from "../../core/merkle-home.js";
import { readSettingsText } from "../../core/read-settings-text.js";
import { openEditor } from "../../document/draft.js";
import { writeConfigText } from "../../settings/config-file.js";

export const configEdit: Command = {
  name: "config edit",
  summary: "edit this machine's configuration file; it is saved if it is valid",
  examples: ["merkle config edit", "EDITOR='code --wait' merkle config edit"],
  offline: true,
  async run({ config, flags, io, output }) {
    if (config.agentShell !== undefined || !canAsk({ flags, io }))
      throw usageError(
        "Only a person at a terminal can edit config.json.",
        "merkle config set <name> <value> --local",
      );
    const path = homeFiles.config(config.home);
    const before = readSettingsText(path) ?? "{}\n";
    const folder = await mkdtemp(join(tmpdir(), "merkle-config-"));
    try {
      const draft = join(folder, "config.json");
      await writeFile(draft, before, { mode: 0o600 });
      await openEditor(draft, io.env);
      const text = await readFile(draft, "utf8");
      if (text === before) {
        output.show({ changed: false, file: path }, "nothing was changed");
        return exitCodes.done;
      }
      await writeConfigText(path, text);
      output.show({ changed: true, file: path }, `${output.mark.ok} ${path}`);
      return exitCodes.done;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
