import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeAll, expect, inject, it, onTestFinished } from "vitest";
import { packCli } from "../apps/cli/src/start/pack-cli.js";
import { parseConnectionAddress } from "../apps/dashboard/src/views/connection/connection-address.js";
import {
  type ConnectionSnippet,
  listConnectionSnippets,
} from "../apps/dashboard/src/views/connection/snippets.js";
import { createCleanup } from "./kit/cleanup.js";
import { startInviteBroker } from "./kit/members.js";
import { startTestBroker, type TestBroker } from "./kit/test-broker.js";
import { brokerTransports, type TransportClient } from "./kit/transports.js";

const run = promisify(execFile);

let broker: TestBroker;
let transport: TransportClient;
const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({ packCli: () => packCli(inject("program")) }, cleanup);
  transport = await brokerTransports.rest(broker.url);
});

/** Returns the snippet that the settings page shows for an address that the user entered. */
function offered(id: ConnectionSnippet["id"], typed = broker.url): string {
  const { address } = parseConnectionAddress(typed);
  const snippet = address && listConnectionSnippets(address).find((each) => each.id === id);
  if (!snippet) throw new Error(`There is no snippet ${id} for ${typed}.`);
  return snippet.text;
}

/**
 * Runs a snippet unchanged. `merkle` runs this checkout's command. `claude` is a stub that records its arguments,
 * because Claude Code's own behaviour is not tested here.
 */
async function paste(
  snippet: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ stdout: string; claude: string[] | null }> {
  const home = await mkdtemp(join(tmpdir(), "merkle-snippets-"));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const bin = join(home, "bin");
  const calls = join(home, "claude-was-called");
  await mkdir(bin);
  await writeProgram(join(bin, "merkle"), `exec '${process.execPath}' '${inject("program")}' "$@"`);
  await writeProgram(
    join(bin, "claude"),
    `[ "$1" = --version ] && { echo '2.1.330 (test)'; exit; }\nprintf '%s\\n' "$@" > '${calls}'`,
  );
  const { stdout } = await run("sh", ["-e", "-c", snippet], {
    cwd: home,
    env: { ...env, PATH: `${bin}:${process.env["PATH"]}`, HOME: home, MERKLE_HOME: join(home, ".merkle") },
  });
  const claude = await readFile(calls, "utf8").then(
    (text) => text.trimEnd().split("\n"),
    () => null,
  );
  return { stdout, claude };
}

async function writeProgram(path: string, lines: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
}

/** Connects an MCP client and lists the sessions. */
async function connectTo(url: string): Promise<string> {
  const client = new Client({ name: "snippets", version: "1" });
  onTestFinished(() => client.close());
  // The SDK's class implements this interface but declares an optional property differently, so a cast is needed.
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  const { content } = await client.callTool({ name: "list_sessions", arguments: {} });
  return JSON.stringify(content);
}

/** Expands `${NAME:-default}` as Claude Code does in .mcp.json. */
function expand(text: string, env: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+):-([^}]*)\}/g, (_all, name: string, other: string) => env[name] ?? other);
}

it("[DASH-155] the command for Claude Code is the one that it documents, and its address is served", async () => {
  const snippet = offered("claude-code");
  const { claude } = await paste(snippet);
  const url = `${broker.url}/api/mcp?view=compact`;
  expect(claude).toEqual(["mcp", "add", "--scope", "project", "--transport", "http", "merkle", url]);
  expect(await connectTo(url)).toContain("text");
});

it("[DASH-155] .mcp.json leads an MCP client to the broker, or to the one that a variable names", async () => {
  for (const typed of [broker.url, `${broker.url}/mcp`, broker.url.replace("http://", "")]) {
    const { mcpServers } = JSON.parse(offered("mcp-json", typed));
    expect(mcpServers.merkle.type).toBe("http");
    expect(await connectTo(expand(mcpServers.merkle.url, {}))).toContain("text");
  }
  const { mcpServers } = JSON.parse(offered("mcp-json", "https://mesh.example.com"));
  expect(await connectTo(expand(mcpServers.merkle.url, { MERKLE_URL: broker.url }))).toContain("text");
});

it("[DASH-155] the lines for curl start a session and say something there, and show no credential", {
  tags: "curl",
}, async () => {
  const { stdout } = await paste(offered("curl"));
  expect(stdout).toContain('"cursor"');
  expect(stdout).not.toContain(".mk_");
  const { messages } = await transport.call("get_history", { session_id: "auth-refactor" });
  expect(messages.map((message) => message.content["text"])).toContain("Alex here.");
});

it("[DASH-155] the lines for merkle install it, tell the machine where the broker is, and launch an agent there", {
  tags: "curl",
}, async () => {
  const { claude } = await paste(offered("merkle-cli"));
  expect(claude?.join(" ")).toContain("--mcp-config");
  const { participants } = await transport.call("list_participants", { session_id: "auth-refactor" });
  expect(participants.map((team) => team.team_name)).toContain("Alex's Team");
});

it("[DASH-155] where members alone are let in, programs come by a token that stands in a variable", async () => {
  const { offered } = await startForMembers();
  const { claude } = await paste(offered("claude-code"));
  // The shell passes the variable's name. Claude Code expands the variable later.
  expect(claude?.slice(-2)).toEqual(["--header", `Authorization: Bearer \${MERKLE_TOKEN}`]);
});

it("[DASH-155] so does curl, and a wrong token is refused", { tags: "curl" }, async () => {
  const { offered, token } = await startForMembers();
  const { stdout } = await paste(offered("curl"), { MERKLE_TOKEN: token });
  expect(stdout).toContain('"cursor"');
  await expect(paste(offered("curl"), { MERKLE_TOKEN: "mkt_wrong" })).resolves.toMatchObject({
    stdout: expect.stringContaining("unauthorized"),
  });
});

/** Starts a broker that admits only members. Returns a member's token and the snippets on the settings page. */
async function startForMembers() {
  const { broker: shut, admin } = await startInviteBroker(onTestFinished);
  const { token } = await admin.call("issue_token", {});
  const { address } = parseConnectionAddress(shut.url);
  if (!address) throw new Error("A broker's own address is one.");
  const snippets = listConnectionSnippets(address, { needsToken: true });
  const offered = (id: ConnectionSnippet["id"]) => snippets.find((each) => each.id === id)?.text ?? "";
  return { offered, token };
}
