import { describeDistrust } from "../broker/broker-client.js";
import { requestHttp } from "../broker/http-request.js";
import { prepareTls } from "../broker/reach.js";
import { clients } from "../clients/clients.js";
import type { Command, CommandContext } from "../command/command.js";
import { toBaseUrl } from "../core/address.js";
import { exitCodes, usageError } from "../core/cli-error.js";
import { findFlag, isSet } from "../core/flags.js";
import { describeMissingPath } from "../core/user-launcher.js";
import { installCli } from "../install/cli-program.js";
import { installFor } from "../install/install-client.js";
import { printSnippet, snippetClients } from "../install/snippets.js";

export const install: Command = {
  name: "install",
  summary: "add Merkle to an agent client; shows the changes and asks first",
  flags: [
    {
      flags: "--client <client>",
      summary:
        "claude, codex, gemini, opencode, copilot or cursor, whose files are changed; vscode, goose, antigravity or print, which only print the configuration (default: claude)",
    },
    {
      flags: "--cli",
      summary: "install the merkle command in ~/.local/bin of the current user",
    },
    { flags: "--from <url>", summary: "broker from which this program was downloaded", hidden: true },
    { flags: "--tools <toolsets>", summary: "additional toolsets for its agents, separated by commas" },
    { flags: "--dry-run", summary: "show the changes without making them" },
    { flags: "-y, --yes", summary: "skip the confirmation prompt" },
  ],
  examples: ["merkle install", "merkle install --dry-run", "merkle install --client codex --tools audit"],
  async run(context) {
    if (isSet(context.flags, "cli")) return installCommand(context);
    const client = findFlag(context.flags, "client") ?? "claude";
    const configured = clients.find((each) => each.name === client);
    if (configured) return installFor(configured, context);
    const snippetClient = snippetClients.find((each) => each === client);
    if (!snippetClient) {
      throw usageError(
        `--client must be one of ${[...clients.map(({ name }) => name), ...snippetClients].join(", ")}, got ${JSON.stringify(client)}.`,
        "merkle install --client print",
      );
    }
    return printSnippet(context, snippetClient);
  },
};

async function installCommand(context: CommandContext): Promise<number> {
  const { config, flags, io, output } = context;
  const given = findFlag(flags, "from");
  const from = given === undefined ? undefined : toBaseUrl(given, "--from");
  const installed = await installCli({ home: config.home, from, ca: findFlag(flags, "ca") });
  const addToPath = describeMissingPath(installed.launcher, io.env["PATH"]);
  output.show(
    { ...installed, add_to_path: addToPath },
    `${output.mark.ok} merkle ${installed.version} is installed in ${installed.launcher}`,
  );
  if (from !== undefined) {
    output.note(`  broker: ${from}`);
    const distrust = await findDistrust(from, context);
    if (distrust !== undefined) output.note(`  ${output.mark.warn} ${distrust}`);
  }
  if (addToPath !== null) {
    output.note(
      "  Your PATH does not have this folder yet. Run this, and add it to your shell's startup file:",
    );
    output.note(`    ${addToPath}`);
  }
  output.note("  next: merkle launch, in your project's folder");
  return exitCodes.done;
}

/**
 * Returns a warning if Node does not trust the broker's certificate. curl trusted the certificate for the
 * download, but Node has its own list of authorities (INSTALL-12).
 */
async function findDistrust(base: string, { config, signal }: CommandContext): Promise<string | undefined> {
  if (!base.startsWith("https:")) return undefined;
  try {
    const tls = (await prepareTls(base, config))?.();
    const within = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
    await requestHttp(`${base}/api/sign-in`, { tls, signal: within });
    return undefined;
  } catch (error) {
    return describeDistrust(base, error);
  }
}
