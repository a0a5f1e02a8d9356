import type { Command } from "../command/command.js";
import { uninstallFromClaude } from "../install/install-claude.js";

export const uninstall: Command = {
  name: "uninstall",
  summary: "take away what merkle install has put into the files of Claude Code, and nothing else",
  flags: [
    { flags: "--dry-run", summary: "show what would change, and change nothing" },
    { flags: "-y, --yes", summary: "do not ask" },
  ],
  examples: ["merkle uninstall", "merkle uninstall --dry-run"],
  offline: true,
  async run(context) {
    return uninstallFromClaude(context);
  },
};
