import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBroker } from "@merkle/broker";
import { connect } from "@merkle/wire/client";
import { beforeAll, expect, it } from "vitest";
import { makeCertificate, writeCertificate } from "../kit/certificates.js";
import { createCleanup } from "../kit/cleanup.js";
import { readHomeKey } from "../kit/persons.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { createTlsClient } from "../kit/tls-client.js";

const names = ["localhost", "mesh.example.com", "*.example.com"];
const first = makeCertificate({ names });

let folder = "";
let broker: TestBroker;
const cleanup = createCleanup();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "merkle-tls-"));
  cleanup(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>Merkle</title>");
  const files = await writeCertificate(folder, first);
  broker = await startTestBroker({ tls: { ...files, pollIntervalMs: 20 }, dashboard: folder }, cleanup);
});

const local = (ca = first.cert) => createTlsClient(`https://localhost:${broker.port}`, ca);

it("[TLS-1] one port serves every transport over TLS, and gives out no other address", async () => {
  const base = `https://localhost:${broker.port}`;
  expect(broker.broker).toMatchObject({ url: base, mcpUrl: `${base}/api/mcp` });
  const client = local();
  expect(await client.ask("/")).toMatchObject({ status: 200 });
  expect(JSON.parse((await client.ask("/api/app-info")).text)).toMatchObject({
    base_url: base,
    mcp_url: `${base}/api/mcp`,
    websocket_url: `wss://localhost:${broker.port}/ws`,
    instructions_url: `${base}/agents.md`,
  });
  for (const path of ["/agents.md", "/openapi.json"]) {
    const { text } = await client.ask(path);
    expect(text).toContain(base);
    expect(text).not.toContain("http://localhost");
  }
  expect((await client.ask("/health")).status).toBe(200);
  const socket = connect({ url: base, WebSocket: client.WebSocket });
  const { connection_url } = await socket.call("get_settings", {});
  expect(connection_url).toBe(`${base}/api/mcp`);
  const call = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  expect(await client.ask("/mcp", { method: "POST", body: call })).toMatchObject({ status: 200 });
  await socket.close();
});

it("[TLS-19] every answer keeps browsers on https and to the type that it names, and leaves localhost alone", async () => {
  const named = { host: "mesh.example.com" };
  for (const path of [
    "/",
    "/api/app-info",
    "/api/sessions/none",
    "/agents.md",
    "/openapi.json",
    "/nothing",
  ]) {
    const [far, near] = [await local().ask(path, { headers: named }), await local().ask(path)];
    expect(far.headers["x-content-type-options"], path).toBe("nosniff");
    expect(far.headers["strict-transport-security"], path).toMatch(/^max-age=[1-9]\d{6,}$/);
    expect(near.headers["x-content-type-options"], path).toBe("nosniff");
    expect(near.headers["strict-transport-security"], path).toBeUndefined();
  }
  const foreign = await local().ask("/", { headers: { host: "other.example.com" } });
  expect(foreign).toMatchObject({ status: 403, headers: { "x-content-type-options": "nosniff" } });
  const plain = await startTestBroker({}, cleanup);
  const answer = await fetch(`${plain.url}/health`);
  expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  expect(answer.headers.get("strict-transport-security")).toBeNull();
});

it("[TLS-7] the names of the certificate are the broker's own, but not what a wildcard may stand for", async () => {
  const ask = async (host: string, origin?: string) => {
    const headers = { host, ...(origin !== undefined && { origin }) };
    return (await local().ask("/api/app-info", { headers })).status;
  };
  expect(await ask("mesh.example.com", "https://mesh.example.com")).toBe(200);
  expect(await ask("other.example.com")).toBe(403);
  expect(await ask("mesh.example.com", "https://other.example.com")).toBe(403);
  expect(await ask("mesh.example.com", "http://mesh.example.com")).toBe(403);
});

it("[TLS-13] an address that is this broker's is known by the broker's own certificate, and what hinders agents is said", async () => {
  const client = local();
  const post = async (path: string, body: object) => (await client.ask(path, { method: "POST", body })).text;
  const { code } = JSON.parse(
    await post("/api/verification-codes", { home_key: await readHomeKey(broker.url) }),
  );
  const { person_id: team_id } = JSON.parse(await post("/api/persons", { name: "Owner", code }));
  const tryOut = async (url: string) => {
    const text = await post("/api/settings/test-connection", { url, team_id });
    return JSON.parse(text);
  };
  expect(await tryOut(`https://localhost:${broker.port}`)).toMatchObject({
    reached: true,
    same_broker: true,
    problem: expect.stringMatching(/certificate is not trusted for this name.*NODE_EXTRA_CA_CERTS or --ca/),
  });
  expect(await tryOut(`http://localhost:${broker.port}`)).toMatchObject({
    reached: false,
    same_broker: false,
  });
});

it("[TLS-4] a renewed certificate is taken while the broker runs; of one that cannot be used the log tells, and the old one stays", async () => {
  const fingerprint = async (pair: { cert: string }) => (await local(pair.cert).ask("/health")).status;
  const logged = (text: string) => broker.logged.filter((line) => line.includes(text));
  await writeFile(join(folder, "cert.pem"), "half a certif");
  await expect.poll(() => logged("cannot be used; the previous one stays in use")).not.toEqual([]);
  expect(await fingerprint(first)).toBe(200);

  const second = makeCertificate({ names: ["localhost"] });
  await writeCertificate(folder, second);
  await expect.poll(() => logged("the renewed certificate is in use")).toHaveLength(1);
  expect(await fingerprint(second)).toBe(200);
  await expect(fingerprint(first)).rejects.toThrow();
  expect((await local(second.cert).ask("/health", { headers: { host: "mesh.example.com" } })).status).toBe(
    403,
  );
});

it("[TLS-2] [OPS-6] a broker whose certificate cannot be used does not start, and one whose proxies are none neither", async () => {
  const home = join(folder, "home");
  const tls = { cert: join(folder, "none.pem"), key: join(folder, "key.pem") };
  await expect(startBroker({ home, port: 0, tls })).rejects.toMatchObject({ code: "bad_certificate" });
  await expect(startBroker({ home, port: 0, trustedProxies: ["localhost"] })).rejects.toMatchObject({
    code: "bad_setting",
  });
});
