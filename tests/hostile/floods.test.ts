import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { connect as connectClient } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { createBrokerClient } from "../../apps/cli/src/broker/broker-client.js";
import { createCleanup } from "../kit/cleanup.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { request, sendRaw } from "./raw-http.js";
import { maskedFrame, openRawSocket } from "./raw-socket.js";
import { TestSocket } from "./test-socket.js";

/**
 * Runs small floods of every kind. The tests count what is left over afterwards and do not measure time.
 * `flooded.test.ts` runs long floods.
 */

const json = "Content-Type: application/json";
const session = JSON.stringify({ title: "One more", creator_team_name: "Birch" });

/** Headers that a trusted proxy would send. They determine the client's address. */
const from = (address: string) => ["Host: localhost", `X-Forwarded-For: ${address}`];

const never = 0.001;

async function readMetric(broker: TestBroker, name: string): Promise<number> {
  const headers = [...from("192.0.2.250"), "Connection: close"];
  const { body } = await sendRaw(broker.port, request("GET /metrics", headers));
  return [...body.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)$`, "gm"))].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
}

/**
 * Writes the beginning of a request. When the broker has closed the connection, resolves with everything that was
 * received.
 */
function begin(port: number, text: string, more = ""): Promise<string> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    let came = "";
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      came += chunk;
    });
    socket.once("close", () => resolve(came));
    socket.write(text);
    if (more !== "") setInterval(() => socket.write(more), 50).unref();
  });
}

/** Returns a ping that is split into this number of fragments. */
function inPieces(id: number, pieces: number): Buffer {
  const bytes = 40;
  const text = JSON.stringify({ type: "ping", id }).padEnd(pieces * bytes);
  const frames = Array.from({ length: pieces }, (_, n) =>
    maskedFrame(text.slice(n * bytes, (n + 1) * bytes), { first: n === 0, last: n === pieces - 1 }),
  );
  return Buffer.concat(frames);
}

describe("too many requests", () => {
  const burst = 12;

  function startLimited(rates: { per_second: number; burst: number } = { per_second: never, burst }) {
    return startTestBroker({
      trustedProxies: ["127.0.0.1"],
      insecureOpen: true,
      rateLimits: { address: rates },
    });
  }

  const upgrade = (headers: readonly string[]) =>
    [
      "GET /ws HTTP/1.1",
      ...headers,
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "",
      "",
    ].join("\r\n");

  it("[GUARD-4] are answered 429 with Retry-After over every transport, unread, and others are served", async () => {
    const broker = await startLimited();
    const transports: Record<string, (headers: readonly string[]) => string> = {
      // The bodies are never sent, because a refused request is answered without reading them.
      REST: (headers) => request("POST /api/sessions", [...headers, json, "Content-Length: 100000"]),
      MCP: (headers) => request("POST /mcp", [...headers, json, "Content-Length: 100000"]),
      "a page": (headers) => request("GET /agents.md", headers),
      "the upgrade": upgrade,
      "no place at all": (headers) => request("GET /nowhere", headers),
    };
    const flood = from("203.0.113.9");
    for (let n = 0; n < burst; n += 1) {
      expect((await sendRaw(broker.port, request("GET /agents.md", flood))).status).toBe(200);
    }
    for (const [transport, place] of Object.entries(transports)) {
      const answer = await sendRaw(broker.port, place(flood));
      expect(answer.status, transport).toBe(429);
      expect(answer.headers, transport).toMatch(/^retry-after: \d{3,4}$/im);
      expect(JSON.parse(answer.body), transport).toMatchObject({
        error: { code: "too_many_requests", details: { limit: "address", per_second: never, burst } },
      });
    }
    // Requests after a refused request on the same connection are neither answered nor counted.
    expect(await begin(broker.port, request("GET /agents.md", flood).repeat(20))).toMatch(
      /^HTTP\/1\.1 429 (?!.*HTTP\/1\.1)/s,
    );
    expect((await sendRaw(broker.port, request("GET /agents.md", from("203.0.113.10")))).status).toBe(200);
    // A client can have any number of IPv6 addresses, so all addresses with the same prefix are counted together.
    const answers = await Promise.all(
      Array.from({ length: burst + 3 }, (_, n) =>
        sendRaw(broker.port, request("GET /agents.md", from(`2001:db8::${n}`))),
      ),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(3);
    expect(await readMetric(broker, "merkle_refusals_total")).toBe(Object.keys(transports).length + 4);
    expect(await readMetric(broker, "merkle_requests_total")).toBe(0);
    expect(await readMetric(broker, "merkle_sockets")).toBe(0);
  });

  it("[GUARD-4] as frames wait in the network, in their order, and others are served", async () => {
    const broker = await startLimited();
    const socket = await openRawSocket(broker.port, from("203.0.113.9"));
    // The upgrade already counted as one request.
    for (let id = 1; id < burst; id += 1) {
      socket.send({ type: "request", id, operation: "get_app_info", input: {} });
      expect(await socket.replyTo(id)).toHaveProperty("output");
    }
    const ping = maskedFrame(JSON.stringify({ type: "ping", id: "more" }));
    socket.write(Buffer.concat(Array(limits.waitingFramesPerConnectionMax).fill(ping)));
    const other = await openRawSocket(broker.port, from("203.0.113.10"));
    other.send({ type: "ping", id: 1 });
    expect(await other.replyTo(1)).toHaveProperty("output");
    expect(socket.repliesTo("more")).toBe(0);
    expect(await readMetric(broker, "merkle_refusals_total")).toBe(1);
  });

  it("[GUARD-4] [LIMIT-1] as frames wait up to waitingFramesPerConnectionMax; with one more the connection ends", async () => {
    const broker = await startLimited();
    const ping = maskedFrame(JSON.stringify({ type: "ping", id: 1 }));
    const many = (count: number) => Buffer.concat(Array(count).fill(ping));
    const socket = await openRawSocket(broker.port, from("203.0.113.9"));
    // The upgrade already counted as one request. Frames that arrive together are counted together.
    socket.write(many(burst - 1 + limits.waitingFramesPerConnectionMax + 1));
    expect(await socket.closed).toBe(4429);
    expect(socket.repliesTo(1)).toBe(burst - 1);
  });

  it("[GUARD-4] as pings of the protocol's own wait as frames do, and each is answered with what it brought", async () => {
    const broker = await startLimited();
    const socket = await openRawSocket(broker.port, from("203.0.113.9"));
    const ping = (text: string) => {
      const frame = maskedFrame(text);
      frame[0] = 0x89;
      return frame;
    };
    socket.write(ping("one"));
    await expect.poll(() => socket.pongs()).toEqual(["one"]);
    socket.write(Buffer.concat(Array(200).fill(ping("more"))));
    await expect.poll(() => socket.pongs().length).toBe(burst - 1);
    const other = await openRawSocket(broker.port, from("203.0.113.10"));
    other.send({ type: "ping", id: 1 });
    expect(await other.replyTo(1)).toHaveProperty("output");
    expect(socket.pongs()).toHaveLength(burst - 1);
  });

  it("[GUARD-4] as frames are taken as fast as they may come, each once", async () => {
    const broker = await startLimited({ per_second: 200, burst: 10 });
    const socket = await openRawSocket(broker.port, from("203.0.113.9"));
    for (let id = 1; id <= 60; id += 1) socket.send({ type: "ping", id });
    for (let id = 1; id <= 60; id += 1) await socket.replyTo(id);
    expect(socket.replies()).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  it("[CLIENT-1] the client comes back with its call when it is told, and the call succeeds", async () => {
    const broker = await startLimited({ per_second: 5, burst: 3 });
    const client = connectClient({ url: broker.url, WebSocket });
    onTestFinished(() => client.close());
    const calls = Array.from({ length: 6 }, (_, n) =>
      client.call("create_session", { title: `Session ${n}`, creator_team_name: "Birch" }),
    );
    expect(new Set((await Promise.all(calls)).map(({ session_id }) => session_id)).size).toBe(6);
    const { sessions } = await client.call("list_sessions", {});
    expect(sessions).toHaveLength(6);
  });

  it("[GUARD-4] a command waits as long as it is told, and says so when that is too long", async () => {
    const { signal } = new AbortController();
    const commandsOf = ({ url }: TestBroker) => createBrokerClient({ base: url, source: "--url" }, signal);
    const commands = commandsOf(await startLimited({ per_second: 2, burst: 1 }));
    for (let n = 0; n < 3; n += 1)
      expect(await commands.call("list_sessions", {})).toMatchObject({ sessions: [] });
    const hopeless = commandsOf(await startLimited({ per_second: never, burst: 1 }));
    await hopeless.call("list_sessions", {});
    await expect(hopeless.call("list_sessions", {})).rejects.toMatchObject({ code: "too_many_requests" });
  });

  it("[GUARD-4] on loopback, where anyone is let in, nothing is counted unless it is asked for", async () => {
    const [open, asked] = await Promise.all([
      startTestBroker(),
      startTestBroker({ rateLimits: { address: { per_second: never, burst: 2 } } }),
    ]);
    const statuses = async ({ port }: TestBroker) => {
      const answers = Array.from({ length: 4 }, () =>
        sendRaw(port, request("GET /agents.md", ["Host: localhost"])),
      );
      return (await Promise.all(answers)).map(({ status }) => status).sort();
    };
    expect(await statuses(open)).toEqual([200, 200, 200, 200]);
    expect(await statuses(asked)).toEqual([200, 200, 429, 429]);
    const settings = await fetch(new URL("/api/settings", open.url));
    expect(await settings.json()).toMatchObject({ rate_limits: null });
  });
});

describe("connections", () => {
  let broker: TestBroker;
  const cleanup = createCleanup();
  const start = async () => {
    broker ??= await startTestBroker(
      { insecureOpen: true, deadlines: { requestHeadersMs: 300, requestMs: 900 } },
      cleanup,
    );
    return broker;
  };

  it("[GUARD-9] [GUARD-15] that send a request or a frame drop by drop end by requestHeadersMsMax and requestMsMax, however many they are", async () => {
    const { port } = await start();
    expect(limits.requestHeadersMsMax).toBeLessThan(limits.requestMsMax);
    const slow = [
      ...Array.from({ length: 100 }, () => begin(port, "GET / HTTP/1.1\r\nHost: localhost\r\n")),
      begin(port, "GET / HTTP/1.1\r\nHost: localhost\r\n", "X-Slow: 1\r\n"),
      begin(port, ""),
      begin(
        port,
        `POST /api/sessions HTTP/1.1\r\nHost: localhost\r\n${json}\r\nContent-Length: 5000\r\n\r\n`,
        "x",
      ),
      begin(
        port,
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`,
        "1\r\nx\r\n",
      ),
    ];
    const socket = await openRawSocket(port, ["Host: localhost"]);
    socket.write(maskedFrame("{", { last: false }));
    const served = await sendRaw(port, request("GET /agents.md", ["Host: localhost"]));
    expect(served.status).toBe(200);
    expect(await socket.closed).toBe(4005);
    const answers = await Promise.all(slow);
    for (const answer of answers.slice(0, 101)) expect(answer).toMatch(/^HTTP\/1\.1 400 .*took too long/s);
    // Browsers open connections that they do not use. The broker closes such a connection without a response.
    expect(answers[101]).toBe("");
    expect(await readMetric(broker, "merkle_requests_total")).toBe(0);
  });

  it("[GUARD-9] [LIMIT-1] have pipelinedRequestsMax unanswered requests, and end at one more", async () => {
    const { port } = await start();
    const wait = request("GET /agents.md", ["Host: localhost"]).replace("Connection: close\r\n", "");
    const last = request("GET /agents.md", ["Host: localhost"]);
    const most = await begin(port, wait.repeat(limits.pipelinedRequestsMax - 1) + last);
    expect(most.match(/^HTTP\/1\.1 200/gm)).toHaveLength(limits.pipelinedRequestsMax);
    expect(await begin(port, wait.repeat(limits.pipelinedRequestsMax) + last)).toBe("");
  });

  it("[GUARD-10] are never compressed: an offer is not taken up, and compressed bytes are not unpacked", async () => {
    const { port } = await start();
    const socket = await openRawSocket(port, [
      "Host: localhost",
      "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
    ]);
    expect(socket.head).not.toMatch(/sec-websocket-extensions/i);
    // The first reserved bit of a frame marks a compressed message.
    const bomb = maskedFrame(gzipSync(Buffer.alloc(50 * 1024 * 1024)));
    bomb[0] = (bomb[0] ?? 0) | 0x40;
    socket.write(bomb);
    expect(await socket.closed).toBe(1002);

    const body = gzipSync(session);
    const headers = ["Host: localhost", json, "Content-Encoding: gzip", `Content-Length: ${body.length}`];
    // The broker refuses the request because of its headers, without waiting for the body.
    expect((await sendRaw(port, request("POST /api/sessions", headers))).status).toBe(400);
  });

  it("[GUARD-10] [LIMIT-1] take a frame in frameFragmentsMax pieces, and end at one more", async () => {
    const { port } = await start();
    for (const [pieces, taken] of [
      [limits.frameFragmentsMax - 1, true],
      [limits.frameFragmentsMax, true],
      [limits.frameFragmentsMax + 1, false],
    ] as const) {
      const socket = await openRawSocket(port, ["Host: localhost"]);
      socket.write(inPieces(1, pieces));
      if (taken) expect(await socket.replyTo(1)).toHaveProperty("output");
      else expect(await socket.closed).toBe(1008);
    }
  });

  it("[GUARD-15] that never end a frame are ended for what they hold together, and others are served", async () => {
    const { port } = await start();
    const open = () => openRawSocket(port, ["Host: localhost"]);
    const half = maskedFrame(Buffer.alloc(limits.frameBytesMax)).subarray(0, limits.frameBytesMax / 2);
    const count = Math.floor(limits.unfinishedFramesBytesMax / half.length) + 1;
    const sockets = await Promise.all(Array.from({ length: count }, open));
    for (const socket of sockets) socket.write(half);
    expect(await Promise.race(sockets.map(({ closed }) => closed))).toBe(4005);
    const honest = await open();
    honest.send({ type: "ping", id: 1 });
    expect(await honest.replyTo(1)).toHaveProperty("output");
  });

  it("[GUARD-17] that do not answer a ping are brought little, and all of it once they do", async () => {
    const { port, url } = await start();
    const client = connectClient({ url, WebSocket });
    onTestFinished(() => client.close());
    const { session_id } = await client.call("create_session", {
      title: "Much",
      creator_team_name: "Birch",
    });
    const { team_id } = await client.call("join_session", { session_id, team_name: "Alder" });
    const text = "x".repeat(16_000);
    const posts = Array.from({ length: 60 }, () =>
      client.call("post_message", { session_id, team_id, content: { text } }),
    );
    const last = Math.max(...(await Promise.all(posts)).map(({ cursor }) => cursor));

    const socket = await openRawSocket(port, ["Host: localhost"]);
    socket.send({ type: "subscribe", id: 1, kind: "follow", session_id, after: 0 });
    await expect.poll(() => socket.pings().length).toBe(1);
    // The broker still answers requests.
    socket.send({ type: "ping", id: 2 });
    await socket.replyTo(2);
    const brought = socket.messages().length;
    expect(brought * text.length).toBeGreaterThan(limits.unreadBytesMin / 2);
    expect((brought - 1) * text.length).toBeLessThan(limits.unreadBytesMin);
    for (let answered = 0; socket.messages().length < last; answered += 1) {
      const isOver = () => socket.messages().length === last;
      await expect.poll(() => socket.pings().length > answered || isOver()).toBe(true);
      const before = socket.messages().length;
      const pong = maskedFrame(socket.pings()[answered] ?? Buffer.alloc(0));
      pong[0] = 0x8a;
      socket.write(pong);
      await expect.poll(() => socket.messages().length > before || isOver()).toBe(true);
    }
    expect(socket.messages()).toEqual(Array.from({ length: last }, (_, n) => n + 1));
  });

  it("[WS-5] by the hundred are ended beyond connectionsMax, and none of them stays", async () => {
    const small = await startTestBroker({ connectionsMax: 20, insecureOpen: true });
    const sockets = await Promise.all(
      Array.from({ length: 200 }, () => openRawSocket(small.port, ["Host: localhost"])),
    );
    expect(await readMetric(small, "merkle_sockets")).toBe(20);
    const codes = await Promise.all(sockets.map((socket) => Promise.race([socket.closed, socket.ready])));
    expect(codes.filter((code) => code === 4003)).toHaveLength(180);
    for (const socket of sockets) socket.end();
    await expect.poll(() => readMetric(small, "merkle_sockets")).toBe(0);
    const again = await TestSocket.open(small.url);
    again.end();
  });
});

describe("strangers, where members alone are let in", () => {
  let broker: TestBroker;
  const cleanup = createCleanup();
  const start = async () => {
    broker ??= await startTestBroker(
      {
        auth: "invite",
        insecureOpen: true,
        trustedProxies: ["127.0.0.1"],
        deadlines: { helloMs: 2_000 },
      },
      cleanup,
    );
    return broker;
  };

  it("[GUARD-11] may send one frame of 8 KiB over a connection, and have helloMsMax to prove who they are", async () => {
    const { port } = await start();
    const hosts = from("203.0.113.20");
    const silent = await openRawSocket(port, hosts);
    const asks = await openRawSocket(port, hosts);
    asks.send({ type: "request", id: 1, operation: "list_sessions", input: {} });
    expect(await asks.replyTo(1)).toMatchObject({ error: { code: "unauthorized" } });
    asks.send({ type: "ping", id: 2 });
    expect(await asks.closed).toBe(4401);
    const large = await openRawSocket(port, hosts);
    large.send({ type: "ping", id: "x".repeat(limits.helloBytesMax) });
    expect(await large.closed).toBe(1009);
    const pieces = await openRawSocket(port, hosts);
    pieces.write(maskedFrame("{", { last: false }));
    const piece = maskedFrame("", { first: false, last: false });
    pieces.write(Buffer.concat(Array(Math.ceil(limits.helloBytesMax / piece.length)).fill(piece)));
    expect(await pieces.closed).toBe(1009);
    expect(await silent.closed).toBe(4004);
  });
});
