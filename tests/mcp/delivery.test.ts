import { describe, expect, it } from "vitest";
import { getSharedBroker } from "../kit/test-broker.js";
import { buildToolCall, callTool, initialize, listNewTexts, post } from "./rpc.js";

const streaming = { accept: "application/json, text/event-stream" };

/** Creates a session with two teams, each of which uses its own MCP session. Alder has read all messages. */
async function startConversation() {
  const { url } = await getSharedBroker();
  const mcp = `${url}/mcp`;
  const [alder, birch] = [
    { "mcp-session-id": await initialize(mcp) },
    { "mcp-session-id": await initialize(mcp) },
  ];
  // An MCP session stores the credential and hides it from the model. This call is made outside an MCP session, so its
  // reply contains the credential.
  const created = await callTool(mcp, "create_session", { title: "Talk", creator_team_name: "Alder" });
  const { session_id, team_id } = created;
  await callTool(mcp, "join_session", { session_id, team_name: "Alder", team_id }, { headers: alder });
  await callTool(mcp, "join_session", { session_id, team_name: "Birch" }, { headers: birch });
  await callTool(mcp, "wait_for_messages", { session_id, timeout: 0 }, { headers: alder });
  await callTool(mcp, "wait_for_messages", { session_id, timeout: 0 }, { headers: alder });
  return {
    mcp,
    session_id,
    credential: String(created["team_id"]),
    alder,
    isWaiting: async () => {
      const { participants } = await callTool(mcp, "list_participants", { session_id });
      return Object(participants)[0].polling;
    },
    say: (text: string) =>
      callTool(mcp, "post_message", { session_id, content: { text } }, { headers: birch }),
    hear: async (headers: Record<string, string> = alder) => {
      const page = await callTool(mcp, "wait_for_messages", { session_id, timeout: 0 }, { headers });
      return listNewTexts(page);
    },
  };
}

describe.each([
  { form: "as a stream", headers: streaming },
  { form: "as plain JSON", headers: {} },
])("a wait in an MCP session, answered $form", ({ headers }) => {
  it("[MCP-11] is ended by notifications/cancelled, without an answer, and acknowledges nothing", async () => {
    const { mcp, session_id, alder, isWaiting, say, hear } = await startConversation();
    for (const id of [0, 5, "five"]) {
      const wait = post(mcp, buildToolCall("wait_for_messages", { session_id }, id), {
        headers: { ...alder, ...headers },
      });
      await expect.poll(isWaiting).toBe(true);
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } };
      expect((await post(mcp, cancelled, { headers: alder })).status).toBe(202);
      const response = await wait;
      expect(await response.text()).not.toContain("next_cursor");
      await expect.poll(isWaiting).toBe(false);
    }
    await say("after");
    expect(await hear()).toEqual(["after"]);
  });

  it("[MCP-11] ends when its connection is closed, and acknowledges nothing", async () => {
    const { mcp, session_id, alder, isWaiting, say, hear } = await startConversation();
    const gone = new AbortController();
    const wait = post(mcp, buildToolCall("wait_for_messages", { session_id }, 5), {
      headers: { ...alder, ...headers },
      signal: gone.signal,
    }).then((response) => response.text());
    await expect.poll(isWaiting).toBe(true);
    gone.abort();
    await expect(wait).rejects.toThrow();
    await expect.poll(isWaiting).toBe(false);
    await say("after");
    expect(await hear()).toEqual(["after"]);
    expect(await hear()).toEqual([]);
  });

  it("[CURSOR-6] that was answered in full is acknowledged by the next one", async () => {
    const { mcp, session_id, alder, say, hear } = await startConversation();
    await say("one");
    const answer = await post(mcp, buildToolCall("wait_for_messages", { session_id }, 5), {
      headers: { ...alder, ...headers },
    });
    expect(await answer.text()).toContain("one");
    await say("two");
    expect(await hear()).toEqual(["two"]);
  });
});

it("[MCP-11] cancelling one request of a batch leaves the others to be answered", async () => {
  const { mcp, session_id, alder, isWaiting } = await startConversation();
  const batch = post(
    mcp,
    JSON.stringify([
      buildToolCall("wait_for_messages", { session_id }, "wait"),
      buildToolCall("list_sessions", {}, "list"),
    ]),
    { headers: { ...alder, ...streaming } },
  );
  await expect.poll(isWaiting).toBe(true);
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "wait" } };
  await post(mcp, cancelled, { headers: alder });
  const text = await (await batch).text();
  expect(text).toContain('"id":"list"');
  expect(text).toContain('"id":"wait","error"');
});

it("[CURSOR-8] a plain wait whose connection is closed acknowledges nothing", async () => {
  const { mcp, session_id, credential, isWaiting, say, hear } = await startConversation();
  const team = { "x-team-id": credential };
  const gone = new AbortController();
  const wait = post(mcp, buildToolCall("wait_for_messages", { session_id }), {
    headers: team,
    signal: gone.signal,
  });
  await expect.poll(isWaiting).toBe(true);
  gone.abort();
  await expect(wait).rejects.toThrow();
  await expect.poll(isWaiting).toBe(false);
  await say("after");
  expect(await hear(team)).toEqual(["after"]);
});
