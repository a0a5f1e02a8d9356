import { createServer, type IncomingHttpHeaders, request } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { changeSettings } from "../kit/persons.js";
import { expectFailure } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { connectTestDatabase } from "../kit/test-database.js";
import { brokerTransports } from "../kit/transports.js";

/** A public address. Open mode is only for a single machine, so a broker with a public address must not use it. */

const publicUrl = "https://mesh.example.com";
const alone = "a second node would start in the mode of the first";

const statusAt = async (url: string) => (await fetch(`${url}/api/sessions`)).status;

describe("a public URL or host that is not loopback", () => {
  it("[AUTH-5] means invite mode, and --auth open is refused with it", async () => {
    for (const options of [{ publicUrl }, { allowedHosts: ["mesh.example.com:8443"] }]) {
      const { broker, url } = await startTestBroker(options, undefined, alone);
      expect([broker.auth, broker.isLoopback, await statusAt(url)]).toEqual(["invite", false, 401]);
      expect(broker.firstInvite).not.toBeNull();
      await expect(startTestBroker({ ...options, auth: "open" }, undefined, alone)).rejects.toMatchObject({
        code: "not_loopback",
      });
    }
  });

  it("[AUTH-5] means invite mode from the next start when the settings have one already", async () => {
    const started = await startTestBroker({}, undefined, alone);
    expect(await statusAt(started.url)).toBe(200);
    const sql = connectTestDatabase(started.databaseUrl);
    await started.restartAfter(async () => {
      await storePublicUrl(sql);
    });
    expect([started.broker.auth, started.broker.isLoopback]).toEqual(["invite", false]);
    expect(await statusAt(started.url)).toBe(401);
  });

  it("[AUTH-5] is no setting of a broker that runs in open mode; a loopback one is", async () => {
    const { url } = await startTestBroker({}, undefined, alone);
    const transport = await brokerTransports.rest(url);
    const failure = await expectFailure(changeSettings(transport, { settings: { public_url: publicUrl } }));
    expect(failure).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("--trusted-proxy"),
    });
    expect(failure.message).toContain(`merkle up --public-url ${publicUrl}`);
    expect((await transport.call("get_settings", {})).settings.public_url).toBeNull();
    for (const own of [
      "http://localhost:3000",
      "http://127.0.0.2:80/mcp",
      "http://[::1]:7423",
      "http://merkle.localhost",
    ]) {
      const { settings } = await changeSettings(transport, { settings: { public_url: own } });
      expect(settings.public_url).toBe(own);
    }
  });

  it("[AUTH-5] is served by a node in open mode to nobody, though another node stored it", async () => {
    const { url, databaseUrl } = await startTestBroker({}, undefined, alone);
    const sql = connectTestDatabase(databaseUrl);
    await storePublicUrl(sql);
    const transport = await brokerTransports.rest(url);
    // Changing any setting makes the node re-read the stored settings.
    await changeSettings(transport, { settings: { idle_polls: 11 } });
    expect((await transport.call("get_settings", {})).settings.public_url).toBe(publicUrl);
    expect((await ask(url, { host: "mesh.example.com" })).status).toBe(403);
  });
});

/** Stores a public URL directly in the database, as another node or an earlier broker version could. */
async function storePublicUrl(sql: ReturnType<typeof connectTestDatabase>): Promise<void> {
  const value = sql.json({ public_url: publicUrl });
  await sql`
    INSERT INTO settings (key, value) VALUES ('broker', ${value})
    ON CONFLICT (key) DO UPDATE SET value = settings.value || excluded.value`;
}

describe("a request that came through a proxy", () => {
  const remote: readonly Record<string, string>[] = [
    { "x-forwarded-for": "203.0.113.9" },
    { "x-forwarded-for": "127.0.0.1, 203.0.113.9" },
    { "x-forwarded-for": "203.0.113.9, 127.0.0.1" },
    { "x-forwarded-host": "mesh.example.com" },
    { "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "mesh.example.com" },
    { "x-forwarded-server": "edge-7" },
    { "x-forwarded-for": "" },
    { "x-forwarded-for": "unknown" },
    { "x-forwarded-for": "localhost.example.com" },
    { "x-forwarded-proto": "https" },
    { "x-real-ip": "10.0.0.7" },
    { forwarded: "for=203.0.113.9;proto=https" },
    { forwarded: 'for=127.0.0.1, for="[2001:db8::7]:443"' },
    { forwarded: "for=127.0.0.1;host=mesh.example.com" },
    { forwarded: "for=_hidden" },
    { forwarded: "nonsense" },
    { via: "1.1 edge.example.com" },
    { via: "1.1 localhost, HTTP/2 edge.example.com (Edge)" },
    { via: "1.1" },
  ];
  const local: readonly Record<string, string>[] = [
    {},
    { "x-forwarded-for": "127.0.0.1" },
    { "x-forwarded-for": "::1, ::ffff:127.0.0.1, [::1]:4000, 127.0.0.9:80", "x-forwarded-proto": "http" },
    { "x-forwarded-host": "localhost:3000", "x-forwarded-for": "::1", "x-forwarded-port": "3000" },
    { forwarded: 'for="[::1]:80";by=127.0.0.1;host=localhost:3000;proto=http' },
    { via: "1.1 localhost:3000, HTTP/1.1 127.0.0.1 (dev)" },
  ];

  it("[TLS-20] is refused in open mode unless all it names is loopback, at every transport", async () => {
    const { url } = await startTestBroker({}, undefined, alone);
    for (const headers of remote) {
      const { status, text } = await ask(url, headers);
      expect([status, text], JSON.stringify(headers)).toEqual([
        403,
        expect.stringContaining("--trusted-proxy"),
      ]);
      expect((await ask(url, headers, "/api/mcp", "POST")).status, JSON.stringify(headers)).toBe(403);
      expect((await ask(url, { ...headers, ...upgrade }, "/ws")).status, JSON.stringify(headers)).toBe(403);
    }
    for (const headers of local) {
      expect((await ask(url, headers)).status, JSON.stringify(headers)).toBe(200);
      expect((await ask(url, { ...headers, ...upgrade }, "/ws")).status, JSON.stringify(headers)).toBe(101);
    }
  });

  it("[TLS-20] is refused when a tunnel rewrites Host; with --trusted-proxy members are admitted", async () => {
    const open = await startTestBroker({}, undefined, alone);
    const answer = await ask(await startTunnel(open.url), { host: "7f3a.tunnel.example" });
    expect(answer).toMatchObject({ status: 403, text: expect.stringContaining("--trusted-proxy") });

    const invite = await startTestBroker({
      trustedProxies: ["127.0.0.1"],
      publicUrl: "https://7f3a.tunnel.example",
    });
    expect((await ask(await startTunnel(invite.url), { host: "7f3a.tunnel.example" })).status).toBe(401);
  });

  it("[TLS-20] passes in invite mode, and where --insecure-open admits anyone", async () => {
    const headers = { "x-forwarded-for": "203.0.113.9" };
    const invite = await startTestBroker({ auth: "invite" }, undefined, alone);
    expect((await ask(invite.url, headers)).status).toBe(401);
    const open = await startTestBroker({ auth: "open", insecureOpen: true, publicUrl });
    expect((await ask(open.url, headers)).status).toBe(200);
  });
});

const upgrade = {
  upgrade: "websocket",
  connection: "Upgrade",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Sends one request with exactly these headers. The default Host header is taken from the URL. */
function ask(
  url: string,
  headers: IncomingHttpHeaders,
  path = "/api/sessions",
  method = "GET",
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asking = request(new URL(path, url), { method, headers, agent: false });
    asking.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asking.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, text: "" });
    });
    asking.on("error", reject);
    asking.end();
  });
}

/** Starts a proxy that forwards remote requests to a broker, as tunnels with `--host-header=rewrite` do. */
async function startTunnel(target: string): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const headers = {
      ...incoming.headers,
      host: new URL(target).host,
      "x-forwarded-for": "203.0.113.9",
      "x-forwarded-host": incoming.headers.host,
      "x-forwarded-proto": "https",
    };
    const forwarded = request(new URL(incoming.url ?? "/", target), {
      method: incoming.method,
      headers,
      agent: false,
    });
    forwarded.on("response", (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
