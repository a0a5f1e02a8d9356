import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MerkleError } from "@merkle/wire";
import { connect } from "@merkle/wire/client";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it } from "vitest";
import { makeCertificate, writeCertificate } from "../kit/certificates.js";
import { createCleanup } from "../kit/cleanup.js";
import { findNginx, startNginx } from "../kit/nginx.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { createTlsClient, type TlsClient } from "../kit/tls-client.js";

const program = findNginx();

const name = "mesh.example.com";
const certificate = makeCertificate({ names: [name] });

/** Returns the nginx configuration from docs/reverse-proxy.md. */
async function configuration(): Promise<string> {
  const document = await readFile(new URL("../../docs/reverse-proxy.md", import.meta.url), "utf8");
  const text = /```nginx\n([\s\S]*?)```/.exec(document)?.[1];
  if (text === undefined) throw new Error("docs/reverse-proxy.md has no nginx configuration.");
  return text;
}

describe("behind the nginx of docs/reverse-proxy.md", { tags: "nginx" }, () => {
  let broker: TestBroker;
  let client: TlsClient;
  /** Starts nginx and returns its ports. The port without TLS is first. */
  let startProxy: (adapt: (text: string) => string) => Promise<readonly number[]>;
  let plainPort = 0;
  let url = "";
  const cleanup = createCleanup();

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "merkle-proxy-"));
    cleanup(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, "index.html"), "<!doctype html><title>Merkle</title>");
    broker = await startTestBroker(
      {
        publicUrl: `https://${name}`,
        trustedProxies: ["127.0.0.1"],
        auth: "open",
        insecureOpen: true,
        dashboard: folder,
      },
      cleanup,
    );
    const files = await writeCertificate(folder, certificate);
    startProxy = async (adapt) => {
      const text = adapt(await configuration());
      return startNginx(
        program ?? "",
        ([plain, secure]) =>
          text
            .replace("listen 80;", `listen 127.0.0.1:${plain};`)
            .replace("listen 443 ssl;", `listen 127.0.0.1:${secure} ssl;`)
            .replace("127.0.0.1:7423", `127.0.0.1:${broker.port}`)
            .replace(/\/etc\/\S+\/fullchain\.pem/, files.cert)
            .replace(/\/etc\/\S+\/privkey\.pem/, files.key),
        2,
        cleanup,
      );
    };
    const [plain = 0, secure = 0] = await startProxy((text) => text);
    plainPort = plain;
    url = `https://${name}:${secure}`;
    client = createTlsClient(url, certificate.cert);
  });

  async function createSession(): Promise<{ slug: string; team_id: string }> {
    const body = { title: `Proxied ${Date.now()}`, creator_team_name: "Atlas" };
    const { status, text } = await client.ask("/api/sessions", { method: "POST", body });
    expect(status).toBe(200);
    return JSON.parse(text);
  }

  const post = (slug: string, credential: string, text: string) =>
    client.ask(`/api/sessions/${slug}/messages`, {
      method: "POST",
      headers: { "x-team-id": credential },
      body: { content: { text } },
    });

  it("[TLS-12] the dashboard and every address that is given out are those of the proxy", async () => {
    const page = await client.ask("/", { headers: { accept: "text/html", origin: `https://${name}` } });
    expect(page).toMatchObject({ status: 200, text: expect.stringContaining("<title>Merkle</title>") });
    expect(page.headers["content-security-policy"]).toContain("connect-src 'self'");
    expect(JSON.parse((await client.ask("/api/app-info")).text)).toMatchObject({
      base_url: `https://${name}`,
      websocket_url: `wss://${name}/ws`,
    });
    expect((await client.ask("/agents.md")).text).not.toMatch(/http:\/\/(?!localhost:7423)/);
  });

  it("[TLS-12] who comes without TLS is sent to it", async () => {
    const asking = request({
      host: "127.0.0.1",
      port: plainPort,
      path: "/agents.md",
      headers: { host: name },
    }).end();
    const [response] = await once(asking, "response");
    response.resume();
    expect(response).toMatchObject({ statusCode: 301, headers: { location: `https://${name}/agents.md` } });
  });

  it("[TLS-12] a WebSocket carries calls and what is posted meanwhile", async () => {
    const { slug, team_id } = await createSession();
    const socket = connect({ url, WebSocket: client.WebSocket });
    cleanup(() => socket.close());
    const came = new Promise<unknown>((resolve, reject) => {
      socket.follow({
        session: slug,
        after: 0,
        onMessage: ({ content }) => resolve(content["text"]),
        onError: reject,
      });
    });
    expect((await socket.call("get_session", { session_id: slug })).slug).toBe(slug);
    expect((await post(slug, team_id, "over there")).status).toBe(200);
    expect(await came).toBe("over there");
  });

  it("[TLS-12] a wait blocks until somebody posts, and as a stream says at once that it does", async () => {
    const { slug, team_id } = await createSession();
    const joined = await client.ask(`/api/sessions/${slug}/join`, {
      method: "POST",
      body: { team_name: "Birch" },
    });
    const { team_id: other, cursor } = JSON.parse(joined.text);
    const path = `/api/sessions/${slug}/messages/wait?since_cursor=${cursor}`;
    const stream = await client.open(path, {
      headers: { "x-team-id": other, accept: "text/event-stream" },
    });
    stream.setEncoding("utf8");
    let streamed = "";
    stream.on("data", (chunk) => {
      streamed += chunk;
    });
    const ended = once(stream, "end");
    await expect.poll(() => streamed).toBe(": waiting\n\n");
    const waiting = client.ask(path, { headers: { "x-team-id": other } });
    await expect.poll(async () => (await client.ask("/metrics")).text).toMatch(/^merkle_parked_waits 2$/m);
    await post(slug, team_id, "go on");
    await ended;
    expect(streamed).toContain("go on");
    expect((await waiting).text).toContain("go on");
    const seconds = Number(/proxy_read_timeout (\d+)s;/.exec(await configuration())?.[1]);
    expect(seconds).toBeGreaterThan(2 * limits.waitSecondsMax);
  });

  it("[TLS-12] MCP over HTTP works, and a body of any size is answered by the broker", async () => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const { status, text } = await client.ask("/api/mcp", { method: "POST", body: call });
    expect(status).toBe(200);
    expect(text).toContain("wait_for_messages");
    const ask = async (bytes: number) => {
      const answer = await client.ask("/api/sessions", {
        method: "POST",
        body: { title: "x".repeat(bytes) },
      });
      return [answer.status, JSON.parse(answer.text).error.code];
    };
    expect(await ask(limits.httpBodyBytesMax - 100)).toEqual([400, "bad_request"]);
    expect(await ask(limits.httpBodyBytesMax + 100)).toEqual([413, "payload_too_large"]);
  });

  it("[GUARD-22] [TLS-12] an address is let in as fast as the proxy's rates say, and is told beyond it when to come back", async () => {
    // A lower rate than in docs/reverse-proxy.md, so that a few requests exceed it.
    const [, port] = await startProxy((text) =>
      text.replace("rate=20r/s", "rate=1r/m").replace("burst=100 nodelay", "burst=2 nodelay"),
    );
    const asked = createTlsClient(`https://${name}:${port}`, certificate.cert);
    const headers = { upgrade: "websocket", connection: "Upgrade" };
    const answers = await Promise.all(Array.from({ length: 5 }, () => asked.ask("/agents.md", { headers })));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(2);
    expect(refused[0]?.headers["retry-after"]).toBe("1");
    expect(MerkleError.fromBody(JSON.parse(refused[0]?.text ?? ""))).toMatchObject({
      code: "too_many_requests",
      details: { retry_after_s: 1 },
    });
    expect((await asked.ask("/agents.md")).status).toBe(200);
  });

  it("[TLS-9] [TLS-18] the log names the client behind the proxy, and a host that the proxy was not asked for is refused", async () => {
    // nginx appends the address of its own client, 127.0.0.1, which is also trusted.
    const socket = await client.upgrade("/ws", {
      headers: { "x-forwarded-for": "203.0.113.1, 198.51.100.7" },
    });
    socket.resume();
    // A frame that no client may send: unmasked and with a reserved opcode.
    socket.write(Buffer.from([0x83, 0x00]));
    await once(socket, "close");
    const broke = broker.logged
      .map((line) => JSON.parse(line))
      .filter(({ message }) => /broke the protocol/.test(message));
    expect(broke).toMatchObject([{ client: "198.51.100.7" }]);
    const foreign = await client.ask("/api/app-info", { headers: { host: "evil.example" } });
    expect(foreign).toMatchObject({ status: 403, text: expect.stringContaining("evil.example") });
  });
});
