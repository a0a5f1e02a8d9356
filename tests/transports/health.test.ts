import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { post, readRpc } from "../mcp/rpc.js";

describe("the broker's health, and its address", () => {
  let transport: TransportClient;
  let broker: TestBroker;
  let owner: string;
  const cleanup = createCleanup();
  beforeAll(async () => {
    broker = await startTestBroker({}, cleanup);
    transport = await brokerTransports.websocket(broker.url);
    cleanup(transport.close);
    ({ person_id: owner } = await makePerson(transport, "Owner"));
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
      const tried = await test(`${broker.url}${path}`);
      expect(tried).toMatchObject({ base_url: broker.url, reached: true, same_broker: true, problem: null });
      expect(tried.mcp_url).toBe(`${broker.url}${path === "/mcp" ? path : "/api/mcp"}`);
    }
    // 127.0.0.2 is an address on this machine on which the broker does not listen.
    const other = await test(`http://127.0.0.2:${broker.port}`);
    expect(other.same_broker || !other.reached).toBe(true);
  });

  it("[HEALTH-2] [LIMIT-1] urlCharsMax", async () => {
    const long = (chars: number) => `http://127.0.0.1:1/${"x".repeat(chars - 19)}`;
    for (const chars of [limits.urlCharsMax - 1, limits.urlCharsMax]) {
      expect(long(chars)).toHaveLength(chars);
      expect(await test(long(chars))).toMatchObject({ reached: false });
    }
    expect(await expectFailure(test(long(limits.urlCharsMax + 1)))).toMatchObject({ code: "bad_request" });
  });

  it("[HEALTH-2] another broker is told apart, where an admin allows inner addresses", async () => {
    const another = await startTestBroker();
    expect(await test(another.url)).toMatchObject({ reached: false, same_broker: false });
    await allowInnerAddresses(true);
    expect(await test(another.url)).toMatchObject({
      reached: true,
      same_broker: false,
      problem: expect.stringContaining("Another"),
    });
  });

  it("[HEALTH-3] everything that is not a broker gets one answer, which quotes nothing", async () => {
    const secret = "kept-inside";
    const listeners: RequestListener[] = [
      (_, response) => response.end(`<html>${secret}</html>`),
      (_, response) => response.end(JSON.stringify({ name: "other", secret })),
      (_, response) => response.writeHead(302, { location: broker.url }).end(secret),
      (_, response) => response.writeHead(401).end(secret),
      (_, response) => response.writeHead(500).end(secret),
      (_, response) => response.end(`"${secret.repeat(20_000)}"`),
      (request) => request.socket.destroy(),
      ({ socket }) => socket.end(`${secret}\r\n\r\n`),
    ];
    await allowInnerAddresses(true);
    const urls = await Promise.all(listeners.map(listen));
    urls.push("http://127.0.0.1:1", "http://no-such-host.invalid");
    const inside = await Promise.all(urls.map(toAnswer));
    await allowInnerAddresses(false);
    const guarded = await Promise.all(["http://169.254.169.254", "http://10.0.0.1", ...urls].map(toAnswer));
    const [first, ...others] = [...inside, ...guarded];
    expect(first).toMatchObject({ reached: false, same_broker: false, took_ms: null });
    for (const answer of others) expect(answer).toEqual(first);
    expect(JSON.stringify(first)).not.toContain(secret);
  });

  it("[HEALTH-4] inner addresses are not called, however they are written, except at the broker's own port", async () => {
    let calls = 0;
    const url = await listen((_, response) => {
      calls += 1;
      response.end();
    });
    const { port } = new URL(url);
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::ffff:0:127.0.0.1]", "0"])
      expect(await test(`http://${host}:${port}`)).toMatchObject({ reached: false });
    expect(calls).toBe(0);
    expect(await test(`http://localhost:${broker.port}`)).toMatchObject({ same_broker: true });
  });

  it("[HEALTH-4] guests may not ask, and an address has a form of its own", async () => {
    const { person_id: guest } = await transport.call("create_person", { name: "Elm" });
    for (const team_id of [undefined, guest]) {
      const refused = transport.call("test_connection", { url: broker.url, team_id });
      expect(await expectFailure(refused)).toMatchObject({
        code: "forbidden",
        details: { needs: "verification" },
      });
    }
    expect(await test("ftp://127.0.0.1/")).toMatchObject({
      problem: expect.stringContaining("http or https"),
    });
    expect(await test("http://ana:secret@127.0.0.1:1")).toMatchObject({
      problem: expect.stringContaining("password"),
    });
  });

  it("[HEALTH-4] models may not ask: it is not in the list of tools, and refused when called by name", async () => {
    const mcp = await brokerTransports.mcp(broker.url);
    onTestFinished(mcp.close);
    const request = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { result } = await readRpc(await post(`${broker.url}/mcp?tools=admin,core`, request));
    expect(JSON.stringify(result)).not.toContain("test_connection");
    const refused = await expectFailure(mcp.call("test_connection", { url: broker.url, team_id: owner }));
    expect(refused).toMatchObject({ code: "forbidden", details: { operation: "test_connection" } });
  });

  function test(url: string) {
    return transport.call("test_connection", { url, team_id: owner });
  }

  async function toAnswer(url: string) {
    const { base_url: _base, mcp_url: _mcp, ...answer } = await test(url);
    return answer;
  }

  async function allowInnerAddresses(isAllowed: boolean): Promise<void> {
    const settings = (alert_inner_addresses: boolean) =>
      transport.call("update_settings", { settings: { alert_inner_addresses }, team_id: owner });
    await settings(isAllowed);
    onTestFinished(async () => void (await settings(false)));
  }
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
