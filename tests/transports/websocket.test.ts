import { randomBytes } from "node:crypto";
import { connect as connectTcp } from "node:net";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createTestSession } from "../kit/session.js";
import { getSharedBroker, type SharedBroker, startTestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let broker: SharedBroker;
let transport: TransportClient;

beforeAll(async () => {
  broker = await getSharedBroker();
  transport = await transports.rest(broker.url);
});

interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Opens a bare WebSocket client that records every frame in order. */
async function openClient(url = broker.url) {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
  const frames: Frame[] = [];
  socket.on("message", (data) => frames.push(JSON.parse(String(data))));
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  onTestFinished(async () => {
    socket.terminate();
    await closed;
  });
  return {
    socket,
    frames,
    closed,
    send: (frame: unknown) => socket.send(JSON.stringify(frame)),
    ofType: (type: string) => frames.filter((frame) => frame.type === type),
    replyTo: (id: unknown) => frames.find((frame) => frame.type === "reply" && frame["id"] === id),
    reply: (id: unknown) =>
      expect.poll(() => frames.find((frame) => frame.type === "reply" && frame["id"] === id)).toBeDefined(),
    sequences: () =>
      frames.flatMap((frame) => (frame.type === "message" ? [Object(frame["message"]).sequence] : [])),
  };
}

describe("WebSocket", () => {
  it("[WS-13] confirms no subprotocol that a client offers", async () => {
    const socket = connectTcp(Number(new URL(broker.url).port), "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const key = randomBytes(16).toString("base64");
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: ${new URL(broker.url).host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mcp, chat\r\n\r\n`,
    );
    let said = "";
    socket.on("data", (chunk) => {
      said += String(chunk);
    });
    await expect.poll(() => said).toContain("\r\n\r\n");
    expect(said).toMatch(/^HTTP\/1\.1 101 /);
    expect(said.toLowerCase()).not.toContain("sec-websocket-protocol");
  });

  it("[WS-2] begins with hello", async () => {
    const client = await openClient();
    await expect
      .poll(() => client.frames[0])
      .toMatchObject({ type: "hello", protocol: 1, heartbeat_ms: 25_000, epoch: expect.any(String) });
  });

  it("[WS-3] follow brings the whole feed after a cursor, one's own included, in order", async () => {
    const session = await createTestSession(transport);
    for (let i = 0; i < 5; i += 1) await session.post(session.convener, `before ${i}`);
    const client = await openClient();
    client.send({ type: "subscribe", id: 1, kind: "follow", session_id: session.slug, after: 2 });
    await client.reply(1);
    expect(client.frames.find((frame) => frame["id"] === 1)).toMatchObject({
      output: { after: 2, last_sequence: 5 },
    });
    for (let i = 0; i < 5; i += 1) await session.post(session.convener, `after ${i}`);
    await expect.poll(client.sequences).toEqual([3, 4, 5, 6, 7, 8, 9, 10]);
    client.send({ type: "unsubscribe", id: 2, kind: "follow", session_id: session.slug });
    await client.reply(2);
    await session.post(session.convener, "unheard");
    client.send({ type: "ping", id: 3 });
    await client.reply(3);
    expect(client.sequences()).toHaveLength(8);
  });

  it("[WS-12] what one connection sends for a session takes effect in that order, right after connecting too", async () => {
    for (let round = 0; round < 5; round += 1) {
      const session = await createTestSession(transport);
      const { sessionId: session_id, convener: team_id } = session;
      await session.join("Birch");
      const client = await openClient();
      let id = 0;
      const request = (operation: string, input: object) => {
        id += 1;
        client.send({ type: "request", id, operation, input: { session_id, team_id, ...input } });
      };
      const post = (text: string) => request("post_message", { content: { text } });
      for (const text of ["1", "2", "3", "4"]) post(text);
      // The broker must look up the recipient of this request in the database, but needs no lookup for the following
      // requests.
      request("send_message", { to: "Birch", message: "5" });
      request("join_group", { name: "backend" });
      request("leave_group", { name: "backend" });
      for (const value of [1, 2, 3]) request("set_state", { key: "phase", value });
      post("6");
      request("update_session_metadata", { title: "After six", reason: "order" });
      post("7");
      await Promise.all(Array.from({ length: id }, (_, index) => client.reply(index + 1)));
      expect(client.frames.filter((frame) => "error" in frame)).toEqual([]);

      const { messages } = await transport.call("get_history", {
        session_id,
        team_id,
        types: ["chat", "system"],
      });
      const said = messages.flatMap((message) => {
        if (message.type === "chat") return [message.content["text"]];
        return message["event"] === "session_metadata_updated" ? ["metadata"] : [];
      });
      expect(said).toEqual(["1", "2", "3", "4", "5", "6", "metadata", "7"]);
      expect(await transport.call("get_state", { session_id, team_id, key: "phase" })).toMatchObject({
        value: 3,
      });
      const { peers } = await transport.call("list_peers", { session_id, team_id });
      expect(peers[0]?.groups).toEqual([]);
    }
  });

  it("[WS-3] an inbox leaves out one's own and starts again where it was acknowledged", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const birch = await session.join("Birch");
    await session.post(birch.credential, "own");
    await session.post(session.convener, "for Birch");
    const subscribe = { type: "subscribe", kind: "inbox", session_id, team_id: birch.credential };
    const first = await openClient();
    first.send({ ...subscribe, id: 1 });
    await expect.poll(first.sequences).toEqual([3]);
    await transport.call("ack", { session_id, team_id: birch.credential, cursor: 3 });
    await session.post(session.convener, "later");
    const second = await openClient();
    second.send({ ...subscribe, id: 1 });
    await expect.poll(second.sequences).toEqual([4]);
    const nobody = await openClient();
    nobody.send({ type: "subscribe", id: 1, kind: "inbox", session_id });
    await expect.poll(() => nobody.replyTo(1)).toMatchObject({ error: { code: "unauthorized" } });
  });

  it("[WS-3] a reader that is far behind gets everything, from the feed and the live end, without a hole", async () => {
    const session = await createTestSession(transport);
    const text = "x".repeat(8_000);
    await Promise.all(Array.from({ length: 150 }, () => session.post(session.convener, text)));
    const client = await openClient();
    client.send({ type: "subscribe", id: 1, kind: "follow", session_id: session.slug, after: 0 });
    await Promise.all(Array.from({ length: 50 }, () => session.post(session.convener, text)));
    await expect.poll(() => client.sequences().length).toBe(200);
    expect(client.sequences()).toEqual(Array.from({ length: 200 }, (_, i) => i + 1));
  });

  it("[WS-8] document and roster changes are told", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const client = await openClient();
    client.send({ type: "subscribe", id: 1, kind: "follow", session_id });
    await client.reply(1);
    await transport.call("append_to_session_doc", { session_id, team_id: session.convener, text: "- note" });
    await session.join("Birch");
    // Presence can change the roster at any time.
    await expect
      .poll(() => client.ofType("changed"))
      .toEqual(
        expect.arrayContaining([
          { type: "changed", kind: "document", session_id, version: 1 },
          { type: "changed", kind: "roster", session_id, version: 1 },
        ]),
      );
  });

  it("[WS-4] a cancelled wait is answered once, and acknowledges nothing", async () => {
    const session = await createTestSession(transport);
    const birch = await session.join("Birch");
    const client = await openClient();
    const input = { session_id: session.sessionId, team_id: birch.credential };
    client.send({ type: "request", id: "wait", operation: "wait_for_messages", input });
    client.send({ type: "cancel", id: "wait" });
    await client.reply("wait");
    await session.post(session.convener, "hello");
    const { messages } = await transport.call("wait_for_messages", input);
    expect(messages).toHaveLength(1);
  });

  it("[CURSOR-6] over another connection, what an answer brought to the last one is brought again", async () => {
    const session = await createTestSession(transport);
    const birch = await session.join("Birch");
    const request = {
      type: "request",
      operation: "wait_for_messages",
      input: { session_id: session.sessionId, team_id: birch.credential, timeout: 0 },
    };
    await session.post(session.convener, "perhaps lost on the way");
    const [first, second] = [await openClient(), await openClient()];
    const messagesOf = (client: typeof first, id: number) =>
      Object(client.frames.find((frame) => frame["id"] === id)?.["output"]).messages;
    first.send({ ...request, id: 1 });
    await expect.poll(() => messagesOf(first, 1)).toHaveLength(1);
    second.send({ ...request, id: 1 });
    await expect.poll(() => messagesOf(second, 1)).toHaveLength(1);
    second.send({ ...request, id: 2 });
    await expect.poll(() => messagesOf(second, 2)).toHaveLength(0);
  });

  it("[WS-4] pings keep a live connection, and one that does not answer is ended", async () => {
    const { url } = await startTestBroker({ heartbeatMs: 500 });
    const client = await openClient(url);
    await expect.poll(() => client.ofType("heartbeat").length).toBeGreaterThan(2);
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`, { autoPong: false });
    const code = await new Promise((resolve) => socket.once("close", resolve));
    expect(code).toBe(1006);
  });

  it("[WS-7] frames that cannot be understood end the connection, and say so", async () => {
    const bad: [unknown, number][] = [
      [Buffer.from("{}"), 4400],
      ["no JSON", 4400],
      ['{"kind":"unknown"}', 4400],
      ['{"type":"request","id":1}', 4400],
      ["x".repeat(2 * 1024 * 1024 + 1), 1009],
    ];
    for (const [frame, code] of bad) {
      const client = await openClient();
      client.socket.send(frame as string, { binary: Buffer.isBuffer(frame) });
      expect(await client.closed).toBe(code);
    }
    const client = await openClient();
    client.send({ type: "request", id: 1, operation: "no_such", input: {} });
    await expect.poll(() => client.replyTo(1)).toMatchObject({ error: { code: "not_found" } });
  });

  it("[WS-7] frames of an unknown type get an error, by their id if they have one, and the connection stays", async () => {
    const client = await openClient();
    client.send({ type: "teleport", to: "Birch" });
    client.send({ type: "shutdown", id: 7 });
    client.send({ type: "ping", id: 8 });
    await client.reply(8);
    expect(client.ofType("error")).toEqual([
      { type: "error", error: expect.objectContaining({ code: "bad_request" }) },
    ]);
    expect(client.replyTo(7)).toMatchObject({
      error: { code: "bad_request", message: expect.stringContaining('"shutdown"') },
    });
    client.send({ type: "teleport", id: {} });
    expect(await client.closed).toBe(4400);
  });

  it("[WS-9] more than 64 unanswered requests end the connection", async () => {
    const session = await createTestSession(transport);
    const client = await openClient();
    const joined = await Promise.all(Array.from({ length: 17 }, (_, i) => session.join(`Team ${i}`)));
    const waits = joined
      .flatMap(({ credential }) => Array.from({ length: 4 }, () => credential))
      .slice(0, 65);
    waits.forEach((team_id, id) => {
      client.send({
        type: "request",
        id,
        operation: "wait_for_messages",
        input: { session_id: session.sessionId, team_id, since_cursor: 17 },
      });
    });
    expect(await client.closed).toBe(4429);
  });

  it("[WS-6] a reader that does not read costs others nothing, and gets no more than its bound", async () => {
    const session = await createTestSession(transport);
    const { port } = new URL(broker.url);
    const stuck = connectTcp(Number(port), "127.0.0.1");
    onTestFinished(() => void stuck.destroy());
    const key = randomBytes(16).toString("base64");
    stuck.write(
      `GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
    const payload = Buffer.from(
      JSON.stringify({ type: "subscribe", id: 1, kind: "follow", session_id: session.slug, after: 0 }),
    );
    await new Promise((resolve) => stuck.once("data", resolve));
    // A client's frames must be masked. A mask of zeros leaves the payload unchanged.
    stuck.write(
      Buffer.concat([
        Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]),
        payload,
      ]),
    );
    stuck.pause();

    const client = await openClient();
    client.send({ type: "subscribe", id: 1, kind: "follow", session_id: session.slug, after: 0 });
    const text = "x".repeat(60_000);
    for (let i = 0; i < 120; i += 1) await session.post(session.convener, text);
    await expect.poll(() => client.sequences().length).toBe(120);
  });
});
