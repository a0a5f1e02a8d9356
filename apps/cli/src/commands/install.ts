import { toBaseUrl } from "../broker/address.js";
import { clients } from "../clients/clients.js";
import type { Command, CommandContext } from "../command/command.js";
import { isSet, textOf } from "../command/flags.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { describeMissingPath, installCli } from "../install/cli-program.js";
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
    {
      flags: "--cli",
      summary: "install the command merkle itself, in ~/.local/bin of the current user",
    },
    { flags: "--from <url>", summary: "the broker that this program came from", hidden: true },
    { flags: "--tools <toolsets>", summary: "further toolsets for its agents, separated by commas" },
    { flags: "--dry-run", summary: "show what would change, and change nothing" },
    { flags: "-y, --yes", summary: "do not ask" },
  ],
  examples: ["merkle install", "merkle install --dry-run", "merkle install --client codex --tools audit"],
  async run(context) {
    if (isSet(context.flags, "cli")) return installCommand(context);
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

async function installCommand({ config, flags, io, output }: CommandContext): Promise<number> {
  const from = textOf(flags, "from");
  const installed = await installCli({
    home: config.home,
    from: from === undefined ? undefined : toBaseUrl(from, "--from"),
    ca: textOf(flags, "ca"),
  });
  const addToPath = describeMissingPath(installed, io.env["PATH"]);
  output.show(
    { ...installed, add_to_path: addToPath },
    `${output.mark.ok} merkle ${installed.version} is installed in ${installed.launcher}`,
  );
  if (installed.from !== null) output.note(`  broker: ${installed.from}`);
  if (addToPath !== null) {
    output.note(
      "  Your PATH does not have this folder yet. Run this, and add it to your shell's startup file:",
    );
    output.note(`    ${addToPath}`);
  }
  output.note("  next: merkle launch, in your project's folder");
  return exitCodes.done;
}
