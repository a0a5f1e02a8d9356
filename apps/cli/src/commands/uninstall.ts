import { getClient } from "../clients/clients.js";
import type { Command, CommandContext } from "../command/command.js";
import { isSet, textOf } from "../command/flags.js";
import { exitCodes } from "../core/cli-error.js";
import { removeCli } from "../install/cli-program.js";
import { uninstallFrom } from "../install/install-client.js";

export const uninstall: Command = {
  name: "uninstall",
  summary: "take away what merkle install has put into the files of a client, and nothing else",
  flags: [
    { flags: "--client <client>", summary: "claude unless told, codex, gemini, opencode or copilot" },
    { flags: "--cli", summary: "remove the command merkle that merkle install --cli installed" },
    { flags: "--dry-run", summary: "show what would change, and change nothing" },
    { flags: "-y, --yes", summary: "do not ask" },
  ],
  examples: ["merkle uninstall", "merkle uninstall --dry-run"],
  offline: true,
  async run(context) {
    if (isSet(context.flags, "cli")) return uninstallCommand(context);
    return uninstallFrom(getClient(textOf(context.flags, "client")), context);
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
