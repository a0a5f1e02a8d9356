import { findBroker } from "../broker/broker-client.js";
import { type ServerProgram, serverProgram } from "../clients/server-program.js";
import type { CommandContext } from "../command/command.js";
import { CliError, exitCodes } from "../core/cli-error.js";

/** The text that a client's user puts into its configuration, in either of two forms, and where. */
interface Snippet {
  readonly where: string;
  /** The client starts merkle itself: mail is pushed, the place is kept. */
  readonly stdio: string;
  /** The client calls the broker, and needs no merkle on its machine. */
  readonly http: string;
}

export const snippetClients = ["cursor", "codex", "gemini", "vscode", "print"] as const;
type SnippetClient = (typeof snippetClients)[number];

export function snippetFor(client: SnippetClient, program: ServerProgram, mcpUrl: string): Snippet {
  const { command, entry, env } = program;
  const args = [...entry, "mcp"];
  const stdio = { command, args, ...(Object.keys(env).length > 0 && { env }) };
  switch (client) {
    case "cursor":
      return inMcpServers("~/.cursor/mcp.json, or .cursor/mcp.json of a project", stdio, { url: mcpUrl });
    case "gemini":
      return inMcpServers("~/.gemini/settings.json", stdio, { httpUrl: mcpUrl });
    case "vscode":
      return {
        where: ".vscode/mcp.json of a project, or what `MCP: Open User Configuration` opens",
        stdio: toText({ servers: { merkle: { type: "stdio", ...stdio } } }),
        http: toText({ servers: { merkle: { type: "http", url: mcpUrl } } }),
      };
    case "codex":
      return {
        where: "~/.codex/config.toml",
        stdio: toToml({ command, args, env }),
        http: `[mcp_servers.merkle]\nurl = ${JSON.stringify(mcpUrl)}`,
      };
    case "print":
      return inMcpServers(
        "wherever the client keeps its MCP servers; the name of the list differs between clients",
        { type: "stdio", ...stdio },
        { type: "http", url: mcpUrl },
      );
  }
}

function inMcpServers(where: string, stdio: unknown, http: unknown): Snippet {
  return {
    where,
    stdio: toText({ mcpServers: { merkle: stdio } }),
    http: toText({ mcpServers: { merkle: http } }),
  };
}

function toText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** TOML's basic strings are written as JSON's are. */
function toToml({
  command,
  args,
  env,
}: {
  command: string;
  args: readonly string[];
  env: ServerProgram["env"];
}) {
  const variables = Object.entries(env).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    "[mcp_servers.merkle]",
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((each) => JSON.stringify(each)).join(", ")}]`,
    ...(variables.length > 0 ? ["", "[mcp_servers.merkle.env]", ...variables] : []),
  ].join("\n");
}

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
