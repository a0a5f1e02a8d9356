import { defaultToolsets, type Toolset } from "@merkle/wire";
import { findBroker } from "../broker/broker-client.js";
import { writeClientScript } from "../clients/launcher-script.js";
import { createServerProgram, type ServerProgram } from "../clients/server-program.js";
import type { CommandContext } from "../command/command.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { wrapLine } from "../text/wrap-line.js";
import { readToolsFlag } from "./install-client.js";

/**
 * The text for the user to paste into a client's configuration, for stdio and for HTTP, and where to paste
 * it.
 */
interface Snippet {
  readonly where: string;
  /** For clients that start merkle themselves. Messages are pushed, and the peer is stored. */
  readonly stdio: string;
  /** For clients that call the broker directly and do not need merkle on their machine. */
  readonly http: string;
}

/**
 * Clients for which merkle only prints the configuration, because configuring them automatically cannot be
 * tested.
 */
export const snippetClients = ["vscode", "goose", "antigravity", "print"] as const;
type SnippetClient = (typeof snippetClients)[number];

export function createSnippet(client: SnippetClient, program: ServerProgram, mcpUrl: string): Snippet {
  const { command, entry, serveArgs, env } = program;
  const args = [...entry, ...serveArgs];
  const stdio = { command, args, ...(Object.keys(env).length > 0 && { env }) };
  switch (client) {
    case "antigravity":
      return createMcpServersSnippet("~/.gemini/antigravity/mcp_config.json", stdio, { serverUrl: mcpUrl });
    case "goose":
      return {
        where: "~/.config/goose/config.yaml, below extensions",
        stdio: toYaml({
          name: "merkle",
          type: "stdio",
          cmd: command,
          args,
          envs: env,
          enabled: true,
          timeout: 300,
        }),
        http: toYaml({ name: "merkle", type: "streamable_http", uri: mcpUrl, enabled: true, timeout: 300 }),
      };
    case "vscode":
      return {
        where: ".vscode/mcp.json of a project, or what `MCP: Open User Configuration` opens",
        stdio: toText({ servers: { merkle: { type: "stdio", ...stdio } } }),
        http: toText({ servers: { merkle: { type: "http", url: mcpUrl } } }),
      };
    case "print":
      return createMcpServersSnippet(
        "the file with the client's MCP servers; the name of the list differs between clients",
        { type: "stdio", ...stdio },
        { type: "http", url: mcpUrl },
      );
  }
}

function createMcpServersSnippet(where: string, stdio: unknown, http: unknown): Snippet {
  return {
    where,
    stdio: toText({ mcpServers: { merkle: stdio } }),
    http: toText({ mcpServers: { merkle: http } }),
  };
}

function toText(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** Formats an entry for `extensions` in YAML. JSON values are valid YAML. */
function toYaml(value: object): string {
  const lines = Object.entries(value).map(([name, each]) => `    ${name}: ${JSON.stringify(each)}`);
  return ["extensions:", "  merkle:", ...lines].join("\n");
}

/** Prints the configuration for the user to paste. Changes no client's files (INSTALL-4). */
export async function printSnippet(context: CommandContext, client: SnippetClient): Promise<number> {
  const { config, output } = context;
  const tools = readToolsFlag(context);
  // The printed configuration runs this script.
  await writeClientScript(config.home);
  const { where, stdio, http } = createSnippet(
    client,
    createServerProgram(config, tools),
    withTools(await findMcpUrl(context), tools),
  );
  const head = wrapLine(`Put this into ${where}:`, output.columns, "  ").join("\n");
  output.print(
    { client, where, stdio, http },
    `${head}\n\n${stdio}\n\nor, where merkle is not on the client's machine:\n\n${http}\n`,
  );
  return exitCodes.done;
}

/** Returns the broker's address for agents, or the default address if the broker does not reply. */
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

/**
 * Adds parameters for the compact view and a limited set of tools. Models pay for every character, and some
 * clients support only about forty tools in total.
 */
function withView(url: string): string {
  return `${url}${url.includes("?") ? "&" : "?"}tools=core,messaging,mesh&view=compact`;
}

function withTools(url: string, tools: readonly Toolset[]): string {
  return tools.length === 0 ? url : `${url}&tools=${[...new Set([...defaultToolsets, ...tools])].join(",")}`;
}
