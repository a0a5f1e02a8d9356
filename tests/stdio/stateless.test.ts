import { Client, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, inject, it, onTestFinished } from "vitest";
import { createTestSession } from "../kit/session.js";
import { makeAgentHome } from "../kit/stdio.js";
import { startTestBroker } from "../kit/test-broker.js";
import { transports } from "../kit/transports.js";

/** Starts a server and connects the official client with the sessionless protocol revision. */
async function connect(
  url: string,
  { args = [], name = "test" }: { args?: string[]; name?: string } = {},
): Promise<Client> {
  const home = await makeAgentHome();
  const client = new Client({ name, version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, MERKLE_HOME: home, MERKLE_URL: url };
  const spawned = { command: process.execPath, args: [inject("program"), "mcp", ...args], env };
  // The class implements Transport, but its type declaration lacks the `| undefined` that exactOptionalPropertyTypes
  // requires.
  await client.connect(new StdioClientTransport(spawned) as Transport);
  onTestFinished(() => client.close());
  return client;
}

it("[STDIO-17] a program is given structure, of the form that the list says", async () => {
  const { url } = await startTestBroker();
  const client = await connect(url, { args: ["--view", "json"] });
  // The client validates structured results against the output schemas in the tool list.
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "list_sessions")?.outputSchema).toBeDefined();
  const args = { title: "Auth refactor", creator_team_name: "Alder" };
  const created = await client.callTool({ name: "create_session", arguments: args });
  expect(created.structuredContent).toMatchObject({ slug: "auth-refactor" });
  expect(JSON.stringify(created)).not.toContain(".mk_");
});

it("[STDIO-17][MCP-18] a client that listens to the mail is told when it comes, and others are told by what", async () => {
  const { url } = await startTestBroker();
  const rest = await transports.rest(url);
  onTestFinished(() => rest.close());
  const { slug, convener } = await createTestSession(rest);
  const client = await connect(url, { args: ["--session", slug, "--team", "Birch"] });
  const told: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    told.push(params.uri);
  });
  await client.listen({ resourceSubscriptions: ["merkle://mail"] });
  const wakeOf = async () => {
    const { peers } = await rest.call("list_peers", { session_id: slug, team_id: convener });
    return peers.find(({ team }) => team === "Birch")?.capabilities?.wake;
  };
  await expect.poll(wakeOf).toEqual(["channel"]);

  await rest.call("send_message", { session_id: slug, team_id: convener, to: "Birch", message: "hi" });
  await expect.poll(() => told).toContain("merkle://mail");
  const { contents } = await client.readResource({ uri: "merkle://mail" });
  expect(JSON.parse(String(Object(contents[0]).text))).toEqual([{ session: slug, unread: 1 }]);
  const mail = await client.callTool({ name: "check_messages", arguments: {} });
  expect(Object(mail).content[0].text).toContain("hi");
});

it("[STDIO-17] a client that is woken otherwise is offered no resource, and channels are of the older revisions", async () => {
  const { url } = await startTestBroker();
  const claude = await connect(url, { name: "claude-code" });
  expect(claude.getServerCapabilities()).toEqual({ tools: {} });
  await expect(connect(url, { args: ["--channel"] })).rejects.toThrow();
});
