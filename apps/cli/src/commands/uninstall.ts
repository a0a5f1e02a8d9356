import { getClient } from "../clients/clients.js";
import type { Command, CommandContext } from "../command/command.js";
import { exitCodes } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { removeCli } from "../install/cli-program.js";
import { uninstallFrom } from "../install/install-client.js";
import { removeStoredData } from "../install/stored-data.js";

export const uninstall: Command = {
  name: "uninstall",
  summary: "undo merkle install in a client's files; with --cli or --data, remove the rest of Merkle",
  flags: [
    {
      flags: "--client <client>",
      summary: "claude, codex, gemini, opencode, copilot or cursor (default: claude)",
    },
    { flags: "--cli", summary: "remove the merkle command installed by merkle install --cli" },
    {
      flags: "--data",
      summary:
        "remove all data that Merkle stored for this home, including the database and the system user that a start as root created",
    },
    { flags: "--dry-run", summary: "show the changes without making them" },
    { flags: "-y, --yes", summary: "skip the confirmation prompt" },
  ],
  examples: ["merkle uninstall", "merkle uninstall --dry-run", "merkle uninstall --data"],
  offline: true,
  async run(context) {
    if (isSet(context.flags, "cli")) return uninstallCommand(context);
    if (isSet(context.flags, "data")) return removeStoredData(context);
    return uninstallFrom(getClient(findFlag(context.flags, "client")), context);
  },
};

async function uninstallCommand({ config, output }: CommandContext): Promise<number> {
  const removed = await removeCli(config.home);
  output.show(
    { removed: removed?.launcher ?? null },
    removed === null
      ? "merkle install --cli has installed nothing from this home."
      : `${output.mark.ok} removed ${removed.launcher}; your keys and data stay in ${config.home}`,
  );
  return exitCodes.done;
}
