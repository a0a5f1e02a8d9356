import { expect, inject, it, onTestFinished } from "vitest";
import { createTestSession, expectFailure, listTexts } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { createTestDatabase } from "../kit/test-database.js";
import { transports } from "../kit/transports.js";
import { buildToolCall, initialize, post } from "../mcp/rpc.js";
import { startPostgresProxy } from "./postgres-proxy.js";

/** Starts a broker, or several nodes, behind a proxy that can cut the connection to the database. */
async function startBeforeProxy() {
  const url = new URL(await createTestDatabase());
  const proxy = await startPostgresProxy({ host: url.hostname, port: Number(url.port) });
  onTestFinished(proxy.stop);
  url.port = String(proxy.port);
  return { proxy, broker: await startTestBroker({ databaseUrl: url.href }) };
}

it("[FEED-7] [WAIT-10] a database that neither answers nor breaks leaves no call, and no streamed wait, without an answer, and is taken up again", async () => {
  const { proxy, broker } = await startBeforeProxy();
  const transport = await transports.rest(broker.url);
  const session = await createTestSession(transport);
  const { sessionId: session_id, convener: team_id } = session;

  const mcp = `${broker.url}/mcp`;
  const mcpSession = {
    "mcp-session-id": await initialize(mcp),
    accept: "application/json, text/event-stream",
  };
  const person = await transport.call("create_person", { name: "Ana" });
  const asPerson = { session_id, team_id: person.person_id };
  await transport.call("join_session", { ...asPerson, team_name: "Ana" });
  for (const text of ["first", "second"]) await session.post(team_id, text);
  const heard = await transport.call("wait_for_messages", { ...asPerson, since_cursor: 1, timeout: 0 });
  expect(listTexts(heard.messages)).toEqual(["first", "second"]);

  // The streamed REST wait acknowledges messages, and fails only when it ends: the acknowledgement could not be saved.
  // The MCP wait cannot even read its team from the database.
  const wait = { ...asPerson, since_cursor: 3, timeout: 3 };
  const path = `/api/sessions/${session_id}/messages/wait?since_cursor=3&timeout=3`;
  const headers = { accept: "text/event-stream", "x-team-id": person.person_id };
  const stream = () =>
    Promise.all([
      fetch(broker.url + path, { headers }),
      post(mcp, buildToolCall("wait_for_messages", wait), { headers: mcpSession }),
    ]);
  // A node queries the database before a wait begins (NODE-7), and replies with a plain error if the query fails. With
  // several nodes, the waits must therefore begin before the database stalls.
  const begun = inject("bus") && (await stream());
  proxy.mode = "stall";
  const [streamed, streamedByMcp] = begun ?? (await stream());
  const failures = await Promise.all([
    expectFailure(transport.call("wait_for_messages", wait)),
    expectFailure(session.post(team_id, "into silence")),
    expectFailure(transport.call("get_session", { session_id })),
    expectFailure(transport.call("append_to_session_doc", { session_id, team_id, text: "into silence" })),
  ]);
  for (const failure of failures) expect(failure).toMatchObject({ code: "unavailable" });
  const [, body, retry] = /event: error\ndata: (.*)\nretry: (\d+)\n\n$/.exec(await streamed.text()) ?? [];
  const { error } = JSON.parse(body ?? "{}");
  expect([error.code, error.details.retry_after_s * 1_000]).toEqual(["unavailable", Number(retry)]);
  const [, answer] = /data: (.*)\n/.exec(await streamedByMcp.text()) ?? [];
  const { isError, content } = JSON.parse(answer ?? "{}").result;
  expect(isError).toBe(true);
  expect(JSON.parse(content[0].text).error.details).toMatchObject({ retry_after_s: expect.any(Number) });
  const health = await fetch(`${broker.url}/health`);
  expect([health.status, Object(await health.json()).durable]).toEqual([503, false]);

  proxy.mode = "pass";
  proxy.cutAll();
  await session.post(team_id, "heard again");
  // Repeating the wait saves the acknowledgement that could not be saved before.
  await transport.call("wait_for_messages", { ...asPerson, since_cursor: 3, timeout: 0 });
  expect((await transport.call("get_session", asPerson)).last_read).toBe(3);
  await expect.poll(async () => (await fetch(`${broker.url}/health`)).status).toBe(200);
});

it("[OPS-6] a broker stops in time though its database takes connections and closes them at once, and leaves nothing waiting", {
  tags: "long",
}, async () => {
  const { proxy, broker } = await startBeforeProxy();
  const transport = await transports.rest(broker.url);
  const session = await createTestSession(transport);
  const { sessionId: session_id, convener: team_id } = session;
  const { credential } = await session.join("Birch");
  await session.post(team_id, "unread");
  await transport.call("wait_for_messages", {
    session_id,
    team_id: credential,
    timeout: 0,
    since_cursor: 0,
  });

  proxy.mode = "close";
  proxy.cutAll();
  // Each call leaves a pending database query: saving a cursor, changing the document, or posting.
  const calls = [
    transport.call("ack", { session_id, team_id: credential, cursor: 3 }),
    transport.call("append_to_session_doc", { session_id, team_id, text: "never" }),
    session.post(team_id, "never"),
  ].map((call) => expectFailure(call));
  expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(calls.map(() => "unavailable"));
  await broker.stop();
  expect(broker.logged.join("\n")).not.toContain("has not ended");
});

it.each(["close", "stall"] as const)(
  "[OPS-6] [NODE-4] a broker that has nothing to save does not wait for a database that cannot be told that it goes (%s)",
  { tags: "long" },
  async (mode) => {
    const { proxy, broker } = await startBeforeProxy();
    proxy.mode = mode;
    proxy.cutAll();
    await expect.poll(() => broker.logged.join("\n")).toContain("the lock on the database was lost");
    await broker.stop();
    expect(broker.logged.join("\n")).not.toContain("has not ended");
  },
);
