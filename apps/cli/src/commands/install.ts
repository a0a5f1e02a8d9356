import type { Command } from "../command/command.js";
import { textOf } from "../command/flags.js";
import { usageError } from "../core/cli-error.js";
import { installForClaude } from "../install/install-claude.js";
import { printSnippet, snippetClients } from "../install/snippets.js";

export const install: Command = {
  name: "install",
  summary: "make merkle part of an agent's client; shows what changes, and asks",
  flags: [
    {
      flags: "--client <client>",
      summary:
        "claude, whose files are changed, unless told; cursor, codex, gemini, vscode or print show what to put where",
    },
    { flags: "--tools <toolsets>", summary: "further toolsets for its agents, separated by commas" },
    { flags: "--dry-run", summary: "show what would change, and change nothing" },
    { flags: "-y, --yes", summary: "do not ask" },
  ],
  examples: ["merkle install", "merkle install --dry-run", "merkle install --client codex --tools audit"],
  async run(context) {
    const client = textOf(context.flags, "client") ?? "claude";
    if (client === "claude") {
      return installForClaude(context);
    }
    const known = snippetClients.find((each) => each === client);
    if (!known) {
      throw usageError(
        `--client must be claude, ${snippetClients.join(", ")}, got ${JSON.stringify(client)}.`,
        "merkle install --client print",
      );
    }
    return printSnippet(context, known);
  },
};
