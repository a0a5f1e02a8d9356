import { usageError } from "../core/cli-error.js";
import { acp } from "./acp.js";
import { claude } from "./claude.js";
import type { Client } from "./client.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import { cursor } from "./cursor.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";

/** The clients that Merkle can launch, configure and wake. The first is the default. */
export const clients: readonly Client[] = [claude, codex, gemini, opencode, copilot, cursor];

/**
 * Returns the client with this name (default: Claude Code). @throws CliError `usage` that lists the valid
 * names
 */
export function getClient(name: string | undefined): Client {
  return selectClient(clients, name);
}

/** Returns the client to launch. Unlike the others, an ACP agent is not installed: `merkle launch` drives it. */
export function getLaunchedClient(name: string | undefined): Client {
  return selectClient([...clients, acp], name);
}

function selectClient(choices: readonly Client[], name: string | undefined): Client {
  const client = name === undefined ? claude : choices.find((each) => each.name === name);
  if (client) return client;
  const names = choices.map((each) => each.name).join(", ");
  throw usageError(`--client must be one of ${names}, got ${JSON.stringify(name)}.`);
}

/**
 * Returns the client that an MCP server serves: the one that `MERKLE_CLIENT` in the client's configuration names, or
 * else the one that uses this name in its MCP `clientInfo`. Undefined for an unknown client, which can still connect.
 */
export function findServedClient(mcpName: string | undefined, env: NodeJS.ProcessEnv): Client | undefined {
  const configured = clients.find((each) => each.name === env["MERKLE_CLIENT"]);
  return configured ?? clients.find((each) => each.mcpName === mcpName);
}
