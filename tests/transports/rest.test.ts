import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createTestSession, type TestSession } from "../kit/session.js";
import { itOnOneBroker, startTestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let url: string;
let transport: TransportClient;
let session: TestSession;

const cleanup = createCleanup();
beforeAll(async () => {
  ({ url } = await startTestBroker({}, cleanup));
  transport = await transports.rest(url);
  session = await createTestSession(transport, "Rest");
});

const json = { "content-type": "application/json" };

describe("REST", () => {
  it("[AUTH-2] the argument goes before the header, and a query may hold no credential", async () => {
    const body = JSON.stringify({ content: { text: "hello" }, team_id: "wrong" });
    const headers = { ...json, "x-team-id": session.convener };
    const refused = await fetch(`${url}/api/sessions/rest/messages`, { method: "POST", headers, body });
    expect(refused.status).toBe(401);
    const inQuery = await fetch(`${url}/api/sessions/rest?team_id=${session.convener}`);
    expect(inQuery.status).toBe(400);
  });

  it("[REST-3] numbers and booleans stand as text, once", async () => {
    const get = async (query: string) =>
      (
        await fetch(`${url}/api/sessions/rest/messages/wait?${query}`, {
          headers: { "x-team-id": session.convener },
        })
      ).status;
    expect(await get("since_cursor=0&timeout=0&include_own=true")).toBe(200);
    for (const bad of [
      "timeout=soon",
      "timeout=0&timeout=1",
      "include_own=yes&timeout=0",
      "since_cursor=1.5&timeout=0",
      "nonsense=1",
    ]) {
      expect(await get(bad)).toBe(400);
    }
  });

  it("[REST-4] what there is none of is 404, as JSON", async () => {
    for (const [method, path] of [
      ["GET", "/api/nothing"],
      ["DELETE", "/api/sessions"],
      ["GET", "/api/sessions/rest/doc/append"],
    ] as const) {
      const response = await fetch(url + path, { method });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: "not_found" } });
    }
  });

  it("[IDEM-1] a key may also stand in the header Idempotency-Key", async () => {
    const post = async () => {
      const headers = { ...json, "x-team-id": session.convener, "idempotency-key": "header-key" };
      const response = await fetch(`${url}/api/sessions/rest/messages`, {
        method: "POST",
        headers,
        body: '{"content":{"text":"keyed"}}',
      });
      return response.json();
    };
    expect(await post()).toEqual(await post());
  });

  it("[WAIT-10] the wait streams: comments while it blocks, then one event, whose id resumes", async () => {
    const { session_id, team_id } = await transport.call("create_session", {
      title: "Streamed",
      creator_team_name: "Atlas",
    });
    const birch = await transport.call("join_session", { session_id, team_name: "Birch" });
    const headers = { accept: "text/event-stream", "x-team-id": birch.team_id };
    const response = await fetch(`${url}/api/sessions/${session_id}/messages/wait`, { headers });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    await transport.call("post_message", { session_id, team_id, content: { text: "streamed" } });
    const text = await response.text();
    expect(text).toMatch(/^: /);
    const [, event, data, id] = /event: (\w+)\ndata: (.*)\nid: (\d+)/.exec(text) ?? [];
    expect([event, id]).toEqual(["messages", "2"]);
    expect(JSON.parse(data ?? "")).toMatchObject({
      next_cursor: 2,
      messages: [{ content: { text: "streamed" } }],
    });

    const resumed = await fetch(`${url}/api/sessions/${session_id}/messages/wait?timeout=0`, {
      headers: { ...headers, "last-event-id": "2" },
    });
    expect(await resumed.text()).toContain('"messages":[]');
  });

  it("[WAIT-10] what is wrong with a streamed wait is answered plainly", async () => {
    const response = await fetch(`${url}/api/sessions/rest/messages/wait`, {
      headers: { accept: "text/event-stream" },
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ error: { code: "unauthorized" } });
    const headers = { accept: "text/event-stream", "x-team-id": session.convener };
    const statusOf = async (path: string) => (await fetch(`${url}/api/sessions/${path}`, { headers })).status;
    expect(await statusOf("nowhere/messages/wait")).toBe(404);
    expect(await statusOf("rest/messages/wait?since_cursor=999")).toBe(400);
  });

  itOnOneBroker("nginx answers it")(
    "[WAIT-10] what is no HTTP, behind a wait that blocks, ends the connection and puts nothing into its answer",
    async () => {
      const got = async (accept: string) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1");
        const chunks: Buffer[] = [];
        socket.on("data", (chunk) => chunks.push(chunk));
        socket.write(
          `GET /api/sessions/rest/messages/wait?since_cursor=1 HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nX-Team-ID: ${session.convener}\r\n\r\n`,
        );
        const isPolling = async () =>
          (await transport.call("list_participants", { session_id: "rest" })).participants[0]?.polling;
        await expect.poll(isPolling).toBe(true);
        if (accept === "text/event-stream") await expect.poll(() => chunks.join("")).toContain(": waiting");
        socket.write("this is no HTTP\r\n\r\n");
        await once(socket, "close");
        await expect.poll(isPolling).toBe(false);
        return Buffer.concat(chunks).toString();
      };
      const streamed = await got("text/event-stream");
      expect(streamed).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(streamed).not.toContain("HTTP/1.1 400");
      expect(await got("application/json")).toBe("");
    },
  );

  it("[WAIT-11] a wait whose caller goes away ends, and its messages come again", async () => {
    const { session_id, team_id } = await transport.call("create_session", {
      title: "Gone",
      creator_team_name: "Atlas",
    });
    const birch = await transport.call("join_session", { session_id, team_name: "Birch" });
    const abort = new AbortController();
    const headers = { "x-team-id": birch.team_id };
    const parked = fetch(`${url}/api/sessions/${session_id}/messages/wait`, {
      headers,
      signal: abort.signal,
    });
    parked.catch(() => undefined);
    const isPolling = async () =>
      (await transport.call("list_participants", { session_id })).participants[1]?.polling;
    await expect.poll(isPolling).toBe(true);
    abort.abort();
    await expect.poll(isPolling).toBe(false);
    await transport.call("post_message", { session_id, team_id, content: { text: "hello" } });
    const { messages } = await transport.call("wait_for_messages", { session_id, team_id: birch.team_id });
    expect(messages).toHaveLength(1);
  });

  itOnOneBroker("nginx answers it")(
    "[REST-5] a body that says it is too long is refused unread",
    async () => {
      const status = await new Promise((resolve, reject) => {
        const call = request(`${url}/api/sessions`, {
          method: "POST",
          headers: { ...json, "content-length": 3_000_000 },
        });
        call.once("response", (response) => resolve(response.statusCode)).once("error", reject);
        call.flushHeaders();
      });
      expect(status).toBe(413);
    },
  );

  it("[OPS-2] health says live, ready and durable; [OPS-3] metrics count what happened", async () => {
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({
      live: true,
      ready: true,
      durable: true,
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^merkle_posts_total\{outcome="posted"\} [1-9]/m);
    for (const name of [
      "commit_seconds_count",
      "batch_rows_sum",
      "parked_waits",
      "sockets",
      "deliveries_total",
    ]) {
      expect(metrics).toContain(`merkle_${name}`);
    }
  });
});
