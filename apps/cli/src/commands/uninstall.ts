import { getClient } from "../clients/clients.js";
import type { Command } from "../command/command.js";
import { textOf } from "../command/flags.js";
import { uninstallFrom } from "../install/install-client.js";

export const uninstall: Command = {
  name: "uninstall",
  summary: "take away what merkle install has put into the files of a client, and nothing else",
  flags: [
    { flags: "--client <client>", summary: "claude unless told, codex, gemini, opencode or copilot" },
    { flags: "--dry-run", summary: "show what would change, and change nothing" },
    { flags: "-y, --yes", summary: "do not ask" },
  ],
  examples: ["merkle uninstall", "merkle uninstall --dry-run"],
  offline: true,
  async run(context) {
    return uninstallFrom(getClient(textOf(context.flags, "client")), context);
  },
};
