import { usageError } from "../core/cli-error.js";
import { claude } from "./claude.js";
import type { Client } from "./client.js";
import { codex } from "./codex.js";
import { copilot } from "./copilot.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";

/** The clients that Merkle launches, installs itself for, and wakes; the first is meant where none is named. */
export const clients: readonly Client[] = [claude, codex, gemini, opencode, copilot];

/** @throws CliError `usage` that names those there are */
export function getClient(name: string | undefined): Client {
  const found = name === undefined ? claude : clients.find((each) => each.name === name);
  if (found) return found;
  const names = clients.map((each) => each.name).join(", ");
  throw usageError(`--client must be one of ${names}, got ${JSON.stringify(name)}.`);
}

/** The client that introduces itself so over MCP, or undefined: any other is served, too. */
export function findClientIntroducing(name: string | undefined): Client | undefined {
  return clients.find((each) => each.introducesAs === name);
}
