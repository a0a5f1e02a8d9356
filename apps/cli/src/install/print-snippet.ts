import { findBroker } from "../broker/broker-client.js";
import type { CommandContext } from "../command/command.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { serverProgram } from "./server-program.js";
import { type SnippetClient, snippetFor } from "./snippets.js";

/** Shows what a client's user puts where, and changes nothing (INSTALL-4). */
export async function printSnippet(context: CommandContext, client: SnippetClient): Promise<number> {
  const { config, output } = context;
  const { where, stdio, http } = snippetFor(client, serverProgram(config), await findMcpUrl(context));
  output.show(
    { client, where, stdio, http },
    `Into ${where}:\n\n${stdio}\n\nor, where merkle is not on the client's machine:\n\n${http}`,
  );
  return exitCodes.done;
}

/** The address that the broker gives to agents; where none answers, the one it would have. */
async function findMcpUrl({ config, signal }: CommandContext): Promise<string> {
  const broker = await findBroker(config, signal);
  try {
    const { connection_url: url } = await broker.call("get_settings", {});
    return withView(url);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CliError)) throw error;
    return withView(`${broker.base}/api/mcp`);
  }
}

/** A model reads it, which pays for every character. */
function withView(url: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}view=compact`;
}
