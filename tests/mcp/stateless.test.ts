import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { expect, it, onTestFinished } from "vitest";
import { createTestSession } from "../kit/session.js";
import { getSharedBroker, startTestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { buildToolCall, initialize, post, readRpc } from "./rpc.js";

const revision = "2026-07-28";

/** Connects the official client with the sessionless revision. The client sends a team's credential with each request. */
async function connectStateless(url: string, credential?: string): Promise<Client> {
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode: { pin: revision } } },
  );
  // Validating schemas blocks this process, and the server could close an idle keep-alive connection during that time.
  const headers = { connection: "close", ...(credential !== undefined && { "X-Team-ID": credential }) };
  // The class implements Transport, but its type declaration lacks the `| undefined` that exactOptionalPropertyTypes
  // requires.
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport,
  );
  onTestFinished(() => client.close());
  return client;
}

async function start(broker = getSharedBroker()): Promise<{ url: string; rest: TransportClient }> {
  const { url } = await broker;
  const rest = await transports.rest(url);
  onTestFinished(() => rest.close());
  return { url: `${url}/mcp`, rest };
}

function textOf(result: unknown): string {
  return Object(result).content[0].text;
}

it("[MCP-16] nothing is remembered between requests of 2026-07-28, its instructions say so, and the credential is given with each", async () => {
  const { url } = await start();
  const client = await connectStateless(url);
  expect(client.getNegotiatedProtocolVersion()).toBe(revision);
  expect(client.getInstructions()).toContain("This connection does not remember your team");
  expect(client.getInstructions()).not.toContain("This connection remembers");
  expect(client.getInstructions()?.length).toBeLessThan(2_000);

  const args = { title: "Auth refactor", creator_team_name: "Alder" };
  const created = await client.callTool({ name: "create_session", arguments: args });
  const { session_id, team_id } = Object(created.structuredContent);
  expect(textOf(created)).toContain(`team_id ${team_id}`);
  const say = { session_id, content: { text: "hi" } };
  const refused = await client.callTool({ name: "post_message", arguments: say });
  expect(refused.isError).toBe(true);
  expect(textOf(refused)).toMatch(/^unauthorized: /);
  const posted = await client.callTool({ name: "post_message", arguments: { ...say, team_id } });
  expect(posted.isError).toBeUndefined();

  // The credential may also be sent in the header.
  const named = await connectStateless(url, team_id);
  expect((await named.callTool({ name: "post_message", arguments: say })).isError).toBeUndefined();
});

it("[MCP-16] an MCP session of an older revision lives beside it at the same address, and remembers", async () => {
  const { url } = await start();
  const id = await initialize(url);
  const inSession = { headers: { "mcp-session-id": id } };
  await connectStateless(url);
  const args = { title: "Auth refactor", creator_team_name: "Alder" };
  const created = await readRpc(await post(url, buildToolCall("create_session", args), inSession));
  const { slug } = JSON.parse(textOf(created.result));
  const say = { session_id: slug, content: { text: "hi" } };
  const posted = await readRpc(await post(url, buildToolCall("post_message", say), inSession));
  expect(Object(posted.result).isError).toBeUndefined();
});

it("[MCP-16] a client whose model would be shown its credential goes on with a session, which remembers it", async () => {
  const { url } = await start();
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
  // The class implements Transport, but its type declaration lacks the `| undefined` that exactOptionalPropertyTypes
  // requires.
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}?view=compact`)) as Transport);
  onTestFinished(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe("2025-11-25");
  expect(client.getInstructions()).toContain("This connection remembers your team");
  const args = { title: "Shown once", slug: "shown-once", creator_team_name: "Alder" };
  expect(textOf(await client.callTool({ name: "create_session", arguments: args }))).not.toContain("mk_");
  const say = { session_id: "shown-once", content: { text: "hi" } };
  expect(textOf(await client.callTool({ name: "post_message", arguments: say }))).toBe("#1 posted");
});

it("[MCP-16] a revision that there is none of is refused with those that there are", async () => {
  const { url } = await start();
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2099-01-01",
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = { "mcp-protocol-version": "2099-01-01", "mcp-method": "server/discover" };
  const message = { jsonrpc: "2.0", id: 7, method: "server/discover", params: { _meta } };
  const response = await post(url, message, { headers });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    id: 7,
    error: { code: -32022, data: { supported: [revision], requested: "2099-01-01" } },
  });
});

it("[MCP-17] where it is asked for, tools say the form of their output, which is in each result beside the compact text", async () => {
  const { url } = await start(startTestBroker());
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const toolsAt = async (query: string) =>
    Object((await readRpc(await post(url + query, list))).result).tools as { outputSchema?: unknown }[];
  expect((await toolsAt("")).some(({ outputSchema }) => outputSchema)).toBe(false);
  expect((await toolsAt("?structured=1")).every(({ outputSchema }) => outputSchema)).toBe(true);

  const resultAt = async (query: string) =>
    Object((await readRpc(await post(url + query, buildToolCall("list_sessions", {})))).result);
  const output = { sessions: [], next_cursor: null, counts: { active: 0, closed: 0 } };
  const structured = await resultAt("?structured=1");
  expect(structured.structuredContent).toEqual(output);
  expect(textOf(structured)).not.toContain("{");
  expect(JSON.parse(textOf(await resultAt("?structured=1&view=json")))).toEqual(output);
});

it("[MCP-17] the JSON view carries the structure that its text is from 2025-06-18 on, and one toolset the form of it", async () => {
  const { url } = await start();
  const resultOf = async (query: string, version?: string) => {
    const headers = version === undefined ? {} : { "mcp-protocol-version": version };
    const answer = await post(`${url}${query}`, buildToolCall("list_sessions", { limit: 1 }), { headers });
    return Object((await readRpc(answer)).result);
  };
  for (const version of ["2025-06-18", "2025-11-25"]) {
    const result = await resultOf("", version);
    expect(result.structuredContent).toHaveProperty("sessions");
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
  }
  for (const [query, version] of [
    ["", undefined],
    ["", "2025-03-26"],
    ["?structured=0", "2025-11-25"],
    ["?view=compact", "2025-11-25"],
  ] as const)
    expect((await resultOf(query, version)).structuredContent, `${query} ${version}`).toBeUndefined();

  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const describes = async (query: string) =>
    Object((await readRpc(await post(url + query, list))).result).tools.every(
      ({ outputSchema }: { outputSchema?: unknown }) => outputSchema,
    );
  expect(
    await Promise.all(["?tools=mesh", "?tools=mesh,core", "?tools=mesh&view=compact"].map(describes)),
  ).toEqual([true, false, false]);
});

it("[MCP-17] a model that was given the compact view is given the text alone, of the revision without sessions, too", async () => {
  const { url } = await start();
  const program = await connectStateless(url);
  const model = await connectStateless(`${url}?view=compact&structured=0`);
  const called = { name: "list_sessions", arguments: {} };
  // The client validates structured results against the output schemas in the tool list.
  await program.listTools();
  expect((await program.callTool(called)).structuredContent).toHaveProperty("sessions");
  expect((await model.callTool(called)).structuredContent).toBeUndefined();
  expect((await model.listTools()).tools.some(({ outputSchema }) => outputSchema)).toBe(false);
});

it("[MCP-18] a client that listens to a team's mail is told when it comes, of no other's, and only by its credential", async () => {
  const { url, rest } = await start();
  const { slug, convener, join, post: say } = await createTestSession(rest);
  const birch = await join("Birch");
  const uri = `merkle://sessions/${slug}/mail`;
  const listener = await connectStateless(url, birch.credential);
  const told: string[] = [];
  listener.setNotificationHandler("notifications/resources/updated", ({ params }) => {
    told.push(params.uri);
  });
  const subscription = await listener.listen({ resourceSubscriptions: [uri] });

  // The team's own message causes no notification. The next message is from another team and causes one.
  await say(birch.credential, "mine");
  expect(told).toEqual([]);
  const posted = await rest.call("send_message", {
    session_id: slug,
    team_id: convener,
    to: "Birch",
    message: "yours",
  });
  expect(posted.recipients?.[0]?.wake).toEqual(["wait"]);
  await expect.poll(() => told).toEqual([uri]);
  const { contents } = await listener.readResource({ uri });
  expect(JSON.parse(String(Object(contents[0]).text))).toMatchObject({ unread: 1 });
  const { messages } = await rest.call("check_messages", { session_id: slug, team_id: birch.credential });
  expect(messages).toMatchObject([{ content: { text: "yours" } }]);

  // Rotating the credential ends the subscription.
  const own = { session_id: slug, team_id: birch.credential };
  const { team_id } = await rest.call("rotate_team_credential", own);
  expect(team_id).not.toBe(birch.credential);
  await rest.call("send_message", { session_id: slug, team_id: convener, to: "Birch", message: "more" });
  expect(await subscription.closed).toBe("graceful");
  expect(told).toEqual([uri]);

  const stranger = await connectStateless(url);
  await expect(stranger.listen({ resourceSubscriptions: [uri] })).rejects.toThrow();
  await expect(stranger.readResource({ uri })).rejects.toThrow(/team/i);
});

it("[MCP-18] a stream ends in good order when the broker stops, so that its client listens again", async () => {
  const { url: base, stop } = await startTestBroker();
  const rest = await transports.rest(base);
  onTestFinished(() => rest.close());
  const { slug, convener } = await createTestSession(rest);
  const listener = await connectStateless(`${base}/mcp`, convener);
  const { closed } = await listener.listen({ resourceSubscriptions: [`merkle://sessions/${slug}/mail`] });
  await stop();
  expect(await closed).toBe("graceful");
});
