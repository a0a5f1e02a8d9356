import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { Client } from "../../clients/client.js";
import { clients } from "../../clients/clients.js";
import { fileFormats } from "../../install/file-format.js";
import { toClientFlag } from "../../install/install-client.js";
import { type InstalledFile, readInstalled } from "../../install/install-record.js";
import { readEnvironment } from "../../settings/config.js";
import { toShellLine } from "../../text/shell.js";
import { type DoctorCheck, type DoctorFinding, fail, ok } from "./check.js";

/**
 * For each client, runs the MCP server from the client's configuration as the client would, and sends it
 * `initialize`.
 */
export const checkInstalled: DoctorCheck = async ({ config: { home }, signal }) =>
  (await Promise.all(clients.map((client) => checkInstalledFor(client, home, signal)))).flat();

async function checkInstalledFor(
  client: Client,
  home: string,
  signal: AbortSignal,
): Promise<DoctorFinding[]> {
  const files = await readInstalled(home, client.name);
  const servers = (await Promise.all(files.map(findServer))).filter((each) => each !== undefined);
  const [server] = servers;
  if (files.length === 0) return [];
  const id = "installed";
  const fix = `merkle install${toClientFlag(client)}`;
  const label = client.label;
  if (!server) return [fail(id, `${label} is no longer configured with merkle`, fix)];
  const problem = await tryServer(server, signal);
  signal.throwIfAborted();
  if (problem === undefined)
    return [ok(id, `${label} starts ${toShellLine(server.command)}, which responds`)];
  return [fail(id, `${label} starts ${toShellLine(server.command)}: ${problem}`, fix)];
}

interface ConfiguredServer {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Returns the MCP server in a client's configuration file, even if Merkle did not write that entry. */
async function findServer({
  path,
  format = "json",
  added,
}: InstalledFile): Promise<ConfiguredServer | undefined> {
  const part = added.find(({ addition }) => addition.path.at(-1) === "merkle");
  const text = await readFile(path, "utf8").catch(() => null);
  if (!part || text === null) return undefined;
  try {
    return toServer(fileFormats[format].findValue(text, part.addition.path)?.value);
  } catch {
    // The file is invalid, so its client cannot start a server either.
    return undefined;
  }
}

/** Converts the entry for an MCP server in a client's file. Clients use three different formats. */
function toServer(value: unknown): ConfiguredServer | undefined {
  const { command, args = [], env, environment }: Record<string, unknown> = Object(value);
  const words = [command, args].flat();
  if (words.length === 0 || !words.every((each) => typeof each === "string")) return undefined;
  return { command: words, env: Object(env ?? environment) };
}

const answerTimeoutMs = 20_000;

const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "merkle-doctor", version: "1" },
  },
};

/** Starts the MCP server. Returns the problem, or undefined if the server replies. */
async function tryServer(
  { command: [program = "", ...args], env }: ConfiguredServer,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { MERKLE_SESSION: _s, MERKLE_TEAM: _t, MERKLE_PEER: _p, ...variables } = readEnvironment().variables;
  const child = spawn(program, args, {
    env: { ...variables, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]),
  });
  let problem: string | undefined;
  let stderrText = "";
  child.stderr.on("data", (chunk: Buffer) => {
    stderrText = `${stderrText}${chunk}`.slice(0, 2_000);
  });
  child.stdin.on("error", () => undefined);
  child.on("error", (error: NodeJS.ErrnoException) => {
    problem =
      error.name === "AbortError"
        ? `no answer within ${answerTimeoutMs / 1_000} s`
        : (error.code ?? error.message);
  });
  const ended = once(child, "close").catch(() => undefined);
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  for await (const line of createInterface(child.stdout)) {
    if (!line.includes('"serverInfo"')) continue;
    child.stdin.end();
    await ended;
    return undefined;
  }
  await ended;
  return problem ?? (stderrText.trim().split("\n")[0] || "it ended without an answer");
}
