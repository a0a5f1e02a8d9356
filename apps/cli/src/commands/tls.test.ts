import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { makeCertificate, writeCertificate } from "../../../../tests/kit/certificates.js";
import { requestHttp } from "../broker/http-request.js";
import { readProcessStart } from "../core/process-table.js";
import { readConfig } from "../settings/config.js";
import { installTestClaude } from "../test-kit/claude.js";
import { hasCommand } from "../test-kit/has-command.js";
import { testMerkle } from "../test-kit/merkle.js";
import { setUpSharedMerkle } from "../test-kit/shared-merkle.js";
import { trustProject } from "../test-kit/trust-project.js";

interface HookGroup {
  readonly hooks: readonly { type: string; command?: string }[];
}

describe("a broker of this machine that speaks TLS", () => {
  const authority = makeCertificate({ names: ["authority"], isAuthority: true });
  // A certificate signed by an authority that no system trusts.
  const certificate = makeCertificate({ names: ["localhost"], issuer: authority });
  const merkle = setUpSharedMerkle(async (home) => {
    await writeCertificate(home, certificate);
    await writeFile(join(home, "config.json"), '{"tls_cert": "cert.pem", "tls_key": "key.pem"}');
  });
  let url = "";
  beforeAll(async () => {
    ({ url } = await merkle.readRunFile());
  });

  it("[TLS-1] [TLS-3] is started by config.json, and every address says https", async () => {
    expect(url).toMatch(/^https:\/\/localhost:\d+$/);
    expect((await merkle.run(["open", "--json"])).stdout).toContain(`"url":"${url}/"`);
    const { stdout } = await merkle.run(["config", "list", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      broker: { url, connection_url: `${url}/api/mcp` },
      local: { tls_cert: join(merkle.home, "cert.pem") },
    });
  });

  it("[TLS-8] is known to this home's commands by its certificate, over HTTP and WebSocket, by whatever loopback name", {
    tags: "long",
  }, async () => {
    expect(await merkle.run(["status"])).toMatchObject({ code: 0, stderr: "" });
    const made = await merkle.run(["new", "Sealed"]);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining("sealed") });
    await merkle.run(["conclude", "sealed", "Done."]);
    const tail = await merkle.run(["tail", "sealed", "--since", "0", "--until-closed", "--url", url]);
    expect(tail).toMatchObject({ code: 0, stdout: expect.stringContaining("concluded by") });
    const byAddress = url.replace("localhost", "127.0.0.1");
    expect(await merkle.run(["ls", "--url", byAddress])).toMatchObject({ code: 0 });
  });

  it("[TLS-8] [TLS-14] is believed by nobody else, unless its authority is named; its name has to be right then", async () => {
    const other = await testMerkle();
    const run = (env: Record<string, string>, ...flags: string[]) =>
      other.run(["ls", "--url", url, ...flags], { env });
    expect(await run({})).toMatchObject({ code: 3, stderr: expect.stringMatching(/not trusted here.*--ca/) });
    const ca = join(other.home, "authority.pem");
    await writeFile(ca, authority.cert);
    expect(await run({ MERKLE_CA: ca })).toMatchObject({ code: 0 });
    expect(await run({}, "--ca", ca, "--url", url.replace("localhost", "127.0.0.1"))).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("is valid only for other names"),
    });
    expect(await run({}, "--ca", "none.pem")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${join(other.home, "none.pem")} (--ca, MERKLE_CA) cannot be read`),
    });
  });

  it("[TLS-17] is trusted if Node trusts its authority, by commands, hooks and servers that clients start with few variables", async () => {
    const other = await testMerkle();
    const ca = join(other.home, "authority.pem");
    await writeFile(ca, authority.cert);
    const bin = await installTestClaude(other.home);
    const trusting = { NODE_EXTRA_CA_CERTS: ca, MERKLE_URL: url };
    const env = {
      ...trusting,
      PATH: `${bin}:${process.env["PATH"]}`,
      TEST_RECORD: join(other.home, "record.json"),
      TEST_END: "serves",
      TEST_FEW_VARIABLES: "1",
    };
    // Node reads its certificate settings at startup, so each check is a separate process.
    expect(await other.start(["new", "Trusted"], { env }).ended).toMatchObject({ code: 0 });
    const launched = other.start(["launch", "--session", "trusted", "--team", "Birch"], { env });
    await launched.waitForOutput("claude runs");
    const { pid, settings, env: ofClient } = JSON.parse(await readFile(env.TEST_RECORD, "utf8"));
    onTestFinished(async () => {
      if ((await readProcessStart(pid)) !== null) process.kill(pid, "SIGKILL");
    });
    const { stdout } = await merkle.run(["peers", "trusted", "--json"]);
    expect(JSON.parse(stdout).peers).toContainEqual(
      expect.objectContaining({ team: "Birch", connected: true }),
    );
    launched.process.kill("SIGTERM");
    await launched.ended;

    // The MCP server has exited, so the hook command calls the broker itself.
    await merkle.run(["post", "trusted", "Read the plan."]);
    const ofStop: HookGroup[] = settings.hooks.Stop;
    const { command = "" } =
      ofStop.flatMap(({ hooks }) => hooks).find(({ type }) => type === "command") ?? {};
    const hook = spawn("sh", ["-c", command], { env: ofClient, stdio: ["pipe", "pipe", "inherit"] });
    hook.stdin.end(JSON.stringify({ hook_event_name: "Stop", session_id: randomUUID(), prompt_id: "p1" }));
    expect(await text(hook.stdout)).toContain("Read the plan.");

    expect(await other.start(["install", "-y"], { env }).ended).toMatchObject({ code: 0 });
    const read = async (name: string) => JSON.parse(await readFile(join(other.home, name), "utf8"));
    const { mcpServers } = await read(".claude.json");
    expect(mcpServers.merkle.env).toMatchObject(trusting);
    const { hooks } = await read(".claude/settings.json");
    expect(hooks.Stop[0].hooks[0].command).toContain(` NODE_EXTRA_CA_CERTS=${ca} `);
    expect(await other.run(["doctor"], { env: { ...env, NODE_EXTRA_CA_CERTS: "" } })).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/not trusted here.*\n.*fix: export NODE_EXTRA_CA_CERTS=/),
    });
  });

  it("[TLS-5] says so to who asks without TLS", async () => {
    const plain = url.replace("https:", "http:");
    expect(await merkle.run(["status", "--url", plain])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("accepts only TLS"),
    });
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.end("\u0000");
    socket.resume();
    await once(socket, "close");
  });

  it("[TLS-17] launch and install pass on what was said about TLS", async () => {
    const claude = join(merkle.home, "claude");
    await writeFile(claude, '#!/bin/sh\necho "2.1.330 (test)"\n', { mode: 0o755 });
    const flags = ["--json", "--url", url, "--insecure", "--ca", "authority.pem"];
    const wanted = ["--session", "passed-on", "--team", "Birch", "--claude-bin", claude];
    const launched = await merkle.run(["launch", "--dry-run", ...wanted, ...flags]);
    const expected = { MERKLE_INSECURE: "1", MERKLE_CA: join(merkle.home, "authority.pem") };
    const { env, files } = JSON.parse(launched.stdout);
    expect(env).toMatchObject(expected);
    expect(JSON.parse(files[0].content).mcpServers.merkle.env).toMatchObject(expected);
    const printed = await merkle.run(["install", "--client", "vscode", ...flags]);
    expect(JSON.parse(JSON.parse(printed.stdout).stdio).servers.merkle.env).toMatchObject(expected);
  });
});

describe("another machine", () => {
  const address = "http://192.0.2.7:7423";

  it("[TLS-15] is not spoken to in clear text, by no command, and nothing is tried", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const env = { MERKLE_URL: address };
    const commands = [["ls"], ["tail"], ["mcp"], ["demo"], ["doctor"]].filter(hasCommand);
    const ends = await Promise.all(commands.map((args) => merkle.run(args, { env })));
    for (const [index, { code, stderr }] of ends.entries()) {
      expect(code, commands[index]?.[0]).toBe(2);
      expect(stderr).toContain(
        `Refusing to connect to ${address} unencrypted: anyone on the network could read messages and steal your credential. Use an https:// address`,
      );
      expect(stderr).toContain("--insecure");
    }
  });

  it("[TLS-15] is, where somebody insists: by flag, variable, project or user, in this order", async () => {
    const { home } = await testMerkle();
    const read = async (env: NodeJS.ProcessEnv, flags = {}) => {
      const sources = { flags, env: { MERKLE_HOME: home, ...env }, cwd: home };
      return (await readConfig(sources)).insecure;
    };
    expect(await read({})).toBe(false);
    expect(await read({ MERKLE_INSECURE: "1" })).toBe(true);
    await writeFile(join(home, "config.json"), '{"insecure": true}');
    expect(await read({})).toBe(true);
    await writeFile(join(home, ".merkle.json"), '{"insecure": false}');
    expect(await read({})).toBe(true);
    await trustProject(home, home);
    expect(await read({})).toBe(false);
    expect(await read({ MERKLE_INSECURE: "true" })).toBe(true);
    expect(await read({ MERKLE_INSECURE: "0" }, { insecure: true })).toBe(true);
    await expect(read({ MERKLE_INSECURE: "yes" })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("MERKLE_INSECURE must be 1 or 0"),
    });
  });

  it("[TLS-16] is not asked because a broker sends its callers there, and neither is another port", async () => {
    let asked = 0;
    const elsewhere = createServer((_request, response) => {
      asked += 1;
      response.end("{}");
    }).listen(0, "127.0.0.1");
    const server = createServer((_request, response) =>
      response.writeHead(307, { location: `${leadsTo}/api/sessions` }).end(),
    ).listen(0, "127.0.0.1");
    onTestFinished(() => {
      server.close();
      elsewhere.close();
    });
    await Promise.all([once(server, "listening"), once(elsewhere, "listening")]);
    const [url, port] = [server, elsewhere].map((each) => `http://127.0.0.1:${Object(each.address()).port}`);
    const request = {
      method: "POST",
      headers: { authorization: "Bearer secret", "x-team-id": "secret" },
      body: '{"team_id": "secret"}',
      signal: new AbortController().signal,
    };
    let leadsTo: string | undefined;
    for (leadsTo of [
      address,
      port,
      url?.replace("127.0.0.1", "localhost"),
      url?.replace("http:", "https:"),
    ]) {
      await expect(requestHttp(url ?? "", request), leadsTo).rejects.toMatchObject({ code: "redirected" });
    }
    expect(asked).toBe(0);
  });
});

describe("what up is told about TLS and proxies", () => {
  it("[TLS-3] comes from flag, variable or config.json, each file on its own, and both or neither", async () => {
    const { home } = await testMerkle();
    const read = (env: NodeJS.ProcessEnv, flags = {}) =>
      readConfig({ flags, env: { MERKLE_HOME: home, ...env }, cwd: "/work-here" });
    expect((await read({})).tls).toBeUndefined();
    await writeFile(join(home, "config.json"), '{"tls_cert": "c.pem", "tls_key": "/k.pem"}');
    expect((await read({})).tls).toEqual({ cert: join(home, "c.pem"), key: "/k.pem" });
    const env = { MERKLE_TLS_CERT: "from-env.pem" };
    expect((await read(env)).tls).toEqual({ cert: "/work-here/from-env.pem", key: "/k.pem" });
    expect((await read(env, { tlsCert: "/flag.pem" })).tls).toEqual({ cert: "/flag.pem", key: "/k.pem" });
    await writeFile(join(home, "config.json"), "{}");
    await expect(read(env)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining("a certificate without a key"),
    });
    await expect(read({}, { tlsKey: "k" })).rejects.toThrow("a key without a certificate");
  });

  it("[TLS-11] trusted proxies come from flags, variable or config.json, and a bad one is named with its source", async () => {
    const { home } = await testMerkle();
    const read = async (env: NodeJS.ProcessEnv, flags = {}) =>
      (await readConfig({ flags, env: { MERKLE_HOME: home, ...env }, cwd: home })).trustedProxies;
    expect(await read({})).toEqual([]);
    await writeFile(join(home, "config.json"), '{"trusted_proxies": ["10.0.0.0/8"]}');
    expect(await read({})).toEqual(["10.0.0.0/8"]);
    const env = { MERKLE_TRUSTED_PROXIES: "127.0.0.1, ::1" };
    expect(await read(env)).toEqual(["127.0.0.1", "::1"]);
    expect(await read(env, { trustedProxy: ["2001:db8::/32"] })).toEqual(["2001:db8::/32"]);
    for (const bad of ["localhost", "10.0.0.0/33", "10.0.0/8", "::1%lo"])
      await expect(read({}, { trustedProxy: [bad] })).rejects.toMatchObject({
        exitCode: 2,
        message: `--trusted-proxy must be addresses or ranges such as 127.0.0.1 or 10.0.0.0/8, got "${bad}".`,
      });
    await writeFile(join(home, "config.json"), '{"trusted_proxies": "10.0.0.1"}');
    await expect(read({})).rejects.toThrow("trusted_proxies in");
  });

  it("[TLS-2] a certificate that cannot be used ends up with a sentence, exit 2, in the background too", async () => {
    const merkle = await testMerkle();
    const { cert, key } = await writeCertificate(merkle.home, {
      ...makeCertificate(),
      key: makeCertificate().key,
    });
    const args = ["up", "--port", "0", "--tls-cert", cert, "--tls-key", key];
    const ends = await Promise.all([merkle.run(args), merkle.run([...args, "--detach"])]);
    for (const end of ends)
      expect(end).toMatchObject({
        code: 2,
        stdout: "",
        stderr: `✗ The key ${key} does not belong to the certificate ${cert}. Use a key and a certificate that were created together.\n`,
      });
  });
});
