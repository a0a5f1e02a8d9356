import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { startStdioServer } from "../kit/stdio.js";
import { getSharedBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { callTool, initialize, post, readRpc } from "./rpc.js";

let url: string;
let rest: TransportClient;

beforeAll(async () => {
  ({ url } = await getSharedBroker());
  rest = await transports.rest(url);
});

/** Creates a session with two teams, each of which uses its own MCP session. */
async function joinTwo() {
  const connect = async () => {
    const headers = { "mcp-session-id": await initialize(`${url}/mcp`) };
    return (tool: string, args?: unknown) => callTool(`${url}/mcp`, tool, args, { headers });
  };
  const [alder, birch] = [await connect(), await connect()];
  const created = await alder("create_session", { title: randomUUID(), creator_team_name: "Alder" });
  await birch("join_session", { session_id: created["session_id"], team_name: "Birch" });
  await birch("check_messages");
  return { alder, birch, session_id: String(created["session_id"]) };
}

it("[MCP-22] null means absent, and arguments that are null are none", async () => {
  const { alder, birch } = await joinTwo();
  const content = { text: "hello", kind: null, options: null, answer: null };
  await alder("post_message", { content, to: null, priority: null, reply_to: null, idempotency_key: null });
  expect(await birch("check_messages", null)).toMatchObject({ messages: [{ content: { text: "hello" } }] });
  await alder("set_state", { key: "owner", value: null });
  expect(await birch("get_state", { key: "owner" })).toMatchObject({ value: null, version: 1 });
});

it("[MCP-22] text that is JSON of the declared type is that value, and other text stays text", async () => {
  const { alder, birch } = await joinTwo();
  await alder("post_message", {
    content: '{"text": "Which?", "kind": "ask", "options": ["a", "b"]}',
    to: '["Birch"]',
  });
  const { messages } = Object(await birch("wait_for_messages", { timeout: "5", include_own: "false" }));
  expect(messages).toMatchObject([{ to: ["Birch"], content: { text: "Which?", options: ["a", "b"] } }]);
  await birch("post_message", {
    content: { text: "a it is", answer: "a" },
    reply_to: String(messages[0].sequence),
  });
  await alder("set_state", { key: "flag", value: "true" });
  expect(await birch("get_state", { key: "flag" })).toMatchObject({ value: "true" });
  for (const text of ["5", "[1]", "true", '{"text": 5}', "null"]) {
    await alder("send_message", { to: "Birch", message: text });
    const { messages } = Object(await birch("wait_for_messages", { timeout: 5 }));
    expect(messages.at(-1)).toMatchObject({ content: { text } });
  }
});

it("[MCP-22] plain text as content or text is the message, and @Birch is the team if no group has that name", async () => {
  const { alder, birch, session_id } = await joinTwo();
  await alder("post_message", { content: "one" });
  await alder("post_message", { text: "two", to: "@Birch" });
  await alder("send_message", { text: "three", to: ["@birch"] });
  await alder("send_message", { content: "[four]", to: "Birch" });
  const { messages } = Object(await birch("check_messages"));
  expect(messages).toMatchObject([
    { content: { text: "one" } },
    { content: { text: "two" }, to: ["Birch"] },
    { content: { text: "three" }, to: ["Birch"] },
    { content: { text: "[four]" } },
  ]);
  const { team_id } = await rest.call("join_session", { session_id, team_name: "Cedar" });
  await rest.call("join_group", { session_id, team_id, name: "birch" });
  await alder("send_message", { to: "@Birch", message: "to the group" });
  expect(await birch("check_messages")).toMatchObject({ messages: [{ event: "team_joined" }] });
});

it("[MCP-22] what fits nothing is refused by the strict schema, which the tools declare and REST keeps to", async () => {
  const { alder, session_id } = await joinTwo();
  for (const args of [
    { content: 5 },
    { content: { text: "x", kind: "[]" } },
    { content: { text: "x" }, reply_to: "soon" },
    { content: { text: "x" }, text: "y" },
  ])
    await expect(alder("post_message", args)).rejects.toMatchObject({ code: "bad_request" });
  const { result } = await readRpc(await post(`${url}/mcp`, { jsonrpc: "2.0", id: 1, method: "tools/list" }));
  const send = Object(result).tools.find(({ name }: { name: string }) => name === "send_message");
  expect(send.inputSchema.properties.to).toMatchObject({ type: "array", items: { type: "string" } });

  const { team_id } = await rest.call("join_session", { session_id, team_name: "Cedar" });
  const sent = (body: object) =>
    fetch(`${url}/api/sessions/${session_id}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-team-id": team_id },
      body: JSON.stringify(body),
    });
  for (const body of [
    { content: "x" },
    { text: "x" },
    { content: { text: "x" }, reply_to: "1" },
    { content: { text: "x" }, to: null },
    { content: { text: "x", kind: null } },
    { content: { text: "x" }, to: "@Birch" },
    { content: { text: "x" }, to: '["Birch"]' },
  ]) {
    const { status } = await sent(body);
    expect([400, 404], JSON.stringify(body)).toContain(status);
  }
  expect((await sent({ content: { text: "x" }, to: "Birch" })).status).toBe(200);
});

it("[MCP-22] arguments are read alike without an MCP session, and over stdio", async () => {
  const { session_id } = await joinTwo();
  expect(await callTool(`${url}/mcp`, "get_app_info", null)).toHaveProperty("version");
  const server = await startStdioServer({ url, args: ["--view", "json"] });
  const call = async (name: string, args?: unknown) => JSON.parse(await server.call(name, args));
  expect(await call("get_app_info", null)).toHaveProperty("version");
  await call("join_session", {
    session_id,
    team_name: "Cedar",
    groups: '["db"]',
    role: null,
    replay_from: "0",
  });
  await call("post_message", { content: "hello", to: '["@Birch"]', reply_to: null });
  expect(await call("get_history", { limit: "1" })).toMatchObject({
    messages: [{ from: { team: "Cedar" }, to: ["Birch"], content: { text: "hello" } }],
  });
});
