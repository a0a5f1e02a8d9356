import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { atEnd } from "../kit/at-end.js";
import { createTestSession, failureOf } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

describe("the broker's health, and its address", () => {
  let transport: TransportClient;
  let broker: TestBroker;
  const cleanup = atEnd();
  beforeAll(async () => {
    broker = await startTestBroker({}, cleanup);
    transport = await brokerTransports.websocket(broker.url);
    cleanup(transport.close);
  });

  it("[HEALTH-1] tells of connections, the event loop, commits and the database", async () => {
    const session = await createTestSession(transport);
    await session.post(session.convener, "hello");
    const health = await transport.call("get_health", {});
    expect(health).toMatchObject({
      node: process.version,
      connections: 1,
      subscriptions: 0,
      parked_waits: 0,
      open_sessions: 1,
      append: { queued_bytes: 0 },
      database: { kind: "external", migration: expect.stringMatching(/^\d{4}_[a-z_]+$/) },
    });
    expect(health.append.p50_ms).toBeGreaterThan(0);
    expect(health.append.p99_ms).toBeGreaterThanOrEqual(health.append.p50_ms);
    expect(health.event_loop.max_ms).toBeGreaterThanOrEqual(health.event_loop.p50_ms);
    expect(health.database.bytes).toBeGreaterThan(1_000_000);
    expect(health.database.round_trip_ms).toBeGreaterThan(0);
    expect(Date.parse(health.started_at)).toBeLessThanOrEqual(Date.now());
  });

  it("[HEALTH-2] an address that leads back is known, as a base, an endpoint, and by a name not let in yet", async () => {
    for (const path of ["", "/", "/mcp", "/api/mcp"]) {
      const tried = await transport.call("test_connection", { url: `${broker.url}${path}` });
      expect(tried).toMatchObject({ base_url: broker.url, reached: true, same_broker: true, problem: null });
      expect(tried.mcp_url).toBe(`${broker.url}${path === "/mcp" ? path : "/api/mcp"}`);
    }
    // A name of this machine that the broker does not listen by.
    const other = await transport.call("test_connection", { url: `http://127.0.0.2:${broker.port}` });
    expect(other.same_broker || !other.reached).toBe(true);
  });

  it("[HEALTH-2] [LIMIT-1] urlCharsMax", async () => {
    const long = (chars: number) => `http://127.0.0.1:1/${"x".repeat(chars - 19)}`;
    for (const chars of [limits.urlCharsMax - 1, limits.urlCharsMax]) {
      expect(long(chars)).toHaveLength(chars);
      expect(await transport.call("test_connection", { url: long(chars) })).toMatchObject({ reached: false });
    }
    const beyond = transport.call("test_connection", { url: long(limits.urlCharsMax + 1) });
    expect(await failureOf(beyond)).toMatchObject({ code: "bad_request" });
  });

  it("[HEALTH-2] another broker is told apart", async () => {
    const another = await startTestBroker();
    const tried = await transport.call("test_connection", { url: another.url });
    expect(tried).toMatchObject({
      reached: true,
      same_broker: false,
      problem: expect.stringContaining("Another"),
    });
  });

  it("[HEALTH-3] whatever else answers, a sentence says so, and never in its words", async () => {
    const secret = "kept-inside";
    const answers: [RequestListener, RegExp][] = [
      [(_, response) => response.end(`<html>${secret}</html>`), /no Merkle broker/],
      [(_, response) => response.end(JSON.stringify({ name: "other", secret })), /no Merkle broker/],
      [(_, response) => response.writeHead(302, { location: broker.url }).end(secret), /another address/],
      [(_, response) => response.writeHead(401).end(secret), /sign-in/],
      [(_, response) => response.writeHead(500).end(secret), /status 500/],
      [(_, response) => response.end(`"${secret.repeat(20_000)}"`), /no Merkle broker/],
      [(request) => request.socket.destroy(), /closed without an answer/],
      [({ socket }) => socket.end(`${secret}\r\n\r\n`), /protocol|closed|failed/],
    ];
    for (const [listener, problem] of answers) {
      const tried = await transport.call("test_connection", { url: await listen(listener) });
      expect(tried).toMatchObject({
        reached: false,
        same_broker: false,
        problem: expect.stringMatching(problem),
      });
      expect(JSON.stringify(tried)).not.toContain(secret);
    }
    const addresses: [string, RegExp][] = [
      ["ftp://127.0.0.1/", /no http/],
      ["not an address", /no http/],
      ["http://ana:secret@127.0.0.1:1", /credentials/],
      ["http://127.0.0.1:1", /Nothing listens|failed/],
      ["http://no-such-host.invalid", /no host|reach/],
    ];
    for (const [url, problem] of addresses) {
      const tried = await transport.call("test_connection", { url });
      expect(tried).toMatchObject({ reached: false, problem: expect.stringMatching(problem) });
    }
  });
});

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
