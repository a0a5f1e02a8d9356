import { clients } from "../clients/clients.js";
import type { Command } from "../command/command.js";
import { textOf } from "../command/flags.js";
import { usageError } from "../core/cli-error.js";
import { installFor } from "../install/install-client.js";
import { printSnippet, snippetClients } from "../install/snippets.js";

export const install: Command = {
  name: "install",
  summary: "make merkle part of an agent's client; shows what changes, and asks",
  flags: [
    {
      flags: "--client <client>",
      summary:
        "claude unless told, codex, gemini, opencode or copilot, whose files are changed; cursor, vscode, goose, antigravity or print show what to put where",
    },
    { flags: "--tools <toolsets>", summary: "further toolsets for its agents, separated by commas" },
    { flags: "--dry-run", summary: "show what would change, and change nothing" },
    { flags: "-y, --yes", summary: "do not ask" },
  ],
  examples: ["merkle install", "merkle install --dry-run", "merkle install --client codex --tools audit"],
  async run(context) {
    const client = textOf(context.flags, "client") ?? "claude";
    const configured = clients.find((each) => each.name === client);
    if (configured) return installFor(configured, context);
    const known = snippetClients.find((each) => each === client);
    if (!known) {
      throw usageError(
        `--client must be one of ${[...clients.map(({ name }) => name), ...snippetClients].join(", ")}, got ${JSON.stringify(client)}.`,
        "merkle install --client print",
      );
    }
    return printSnippet(context, known);
  },
};
