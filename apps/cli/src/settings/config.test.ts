import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { testMerkle } from "../test-kit/merkle.js";
import { trustProject } from "../test-kit/trust-project.js";
import { readConfig } from "./config.js";

describe("the configuration", () => {
  it("[SET-3] the broker is named by flag, MERKLE_URL, MCP_URL, project, user, and then by default", async () => {
    const { home } = await testMerkle();
    const cwd = join(home, "project", "deep");
    await mkdir(join(cwd, "er"), { recursive: true });
    await writeFile(join(home, "config.json"), '{"mcp_url": "http://user:1/mcp", "agent": {"kept": true}}');
    const all = { MERKLE_HOME: home, MERKLE_URL: "http://merkle:1/api/mcp", MCP_URL: "http://mcp:1/mcp/" };
    const { MERKLE_URL: _, ...withoutMerkleUrl } = all;
    const read = async (env: NodeJS.ProcessEnv, flags = {}) => (await readConfig({ flags, env, cwd })).broker;

    expect(await read(all, { url: "https://flag:1/x/api/mcp?view=compact" })).toEqual({
      base: "https://flag:1/x",
      source: "--url",
    });
    expect(await read(all)).toEqual({ base: "http://merkle:1", source: "MERKLE_URL" });
    expect(await read(withoutMerkleUrl)).toEqual({ base: "http://mcp:1", source: "MCP_URL" });
    expect(await read({ MERKLE_HOME: home })).toEqual({ base: "http://user:1", source: "config.json" });
    await writeFile(join(home, "project", ".merkle.json"), '{"mcp_url": "http://project:1/api/mcp"}');
    await trustProject(home, cwd);
    expect(await read({ MERKLE_HOME: home })).toEqual({ base: "http://project:1", source: ".merkle.json" });
    await trustProject(cwd, cwd);
    expect(await read({ MERKLE_HOME: cwd, MERKLE_PORT: "7500", MERKLE_URL: "" })).toMatchObject({
      source: ".merkle.json",
    });
    await mkdir(join(cwd, ".git"));
    expect(await read({ MERKLE_HOME: cwd, MERKLE_PORT: "7500" })).toEqual({
      base: "http://localhost:7500",
      source: "default",
    });
  });

  it("[CLI-5] MERKLE_SESSION, MERKLE_TEAM and MERKLE_PEER are read, an empty one says nothing, and the name is this machine's", async () => {
    const { home } = await testMerkle();
    const read = (env: NodeJS.ProcessEnv) =>
      readConfig({ flags: {}, env: { MERKLE_HOME: home, ...env }, cwd: home });
    expect(
      await read({ MERKLE_SESSION: "auth", MERKLE_TEAM: " Atlas ", MERKLE_PEER: "a-place" }),
    ).toMatchObject({
      session: "auth",
      team: "Atlas",
      peer: "a-place",
      personName: undefined,
    });
    await writeFile(join(home, "config.json"), '{"name": "Ana"}');
    const { session, team, personName } = await read({ MERKLE_SESSION: "", MERKLE_TEAM: "" });
    expect({ session, team, personName }).toEqual({ session: undefined, team: undefined, personName: "Ana" });
  });

  it("[GUARD-6] rate_limits of config.json are off, or rates by name", async () => {
    const { home } = await testMerkle();
    const read = async (rates: unknown) => {
      await writeFile(join(home, "config.json"), JSON.stringify({ rate_limits: rates }));
      return (await readConfig({ flags: {}, env: { MERKLE_HOME: home }, cwd: home })).rateLimits;
    };
    const rates = { member_write: { per_second: 0.5, burst: 1 }, address: { per_second: 10, burst: 20 } };
    expect(await read(undefined)).toBeUndefined();
    expect(await read("off")).toBe("off");
    expect(await read({})).toEqual({});
    expect(await read(rates)).toEqual(rates);
    const wrong: readonly (readonly [unknown, string])[] = [
      ["on", 'must be "off" or an object, got "on"'],
      [[], 'must be "off" or an object'],
      [{ writes: { per_second: 1, burst: 1 } }, 'has no rate "writes". Available: address, upgrade,'],
      [{ address: 10 }, "address of rate_limits in"],
      [{ address: { per_second: 1 } }, '{"per_second": 50, "burst": 500}'],
      [{ address: { per_second: 0, burst: 1 } }, "a burst of at least 1"],
      [{ address: { per_second: 1, burst: 0.5 } }, "a burst of at least 1"],
      [{ address: { per_second: 1, burst: 1, more: 1 } }, "address of rate_limits in"],
    ];
    for (const [value, message] of wrong) await expect(read(value), message).rejects.toThrow(message);
  });

  it.each([
    [{ port: "70000" }, {}, '--port must be a whole number from 0 to 65535, got "70000"'],
    [{}, { MERKLE_PORT: "7423x" }, 'MERKLE_PORT must be a whole number from 0 to 65535, got "7423x"'],
    [{ url: "localhost:7423" }, {}, "--url must be the broker's address"],
    [{}, { MCP_URL: "ftp://x" }, "MCP_URL must be the broker's address"],
    [{}, { MERKLE_URL: "http://me:hush@x" }, "MERKLE_URL must not contain a user name or a password"],
    [{ host: "http://x" }, {}, "--host must be an address of this machine"],
    [{ host: "192.168.1.5", auth: "open" }, {}, "add --insecure-open to allow it"],
    [{ publicUrl: "https://mesh.example.com", auth: "open" }, {}, "(--public-url https://mesh.example.com)"],
    [{ auth: "closed" }, {}, "--auth must be open"],
    [{ publicUrl: "mesh" }, {}, "--public-url must be the broker's address"],
    [{}, { MERKLE_ALLOWED_HOSTS: "a.example, http://b" }, "MERKLE_ALLOWED_HOSTS must be host names"],
    [{}, { DATABASE_URL: "mysql://me:hush@x/y" }, "DATABASE_URL must be an address such as postgres:"],
    [{}, { DATABASE_READ_URL: "me:hush@x/y" }, "DATABASE_READ_URL must be an address such as postgres:"],
  ])(
    "[CLI-5] a bad value in %j %j is named with where it came from, exit 2",
    async (flags, env, sentence) => {
      const { home } = await testMerkle();
      const reading = readConfig({ flags, env: { MERKLE_HOME: home, ...env }, cwd: home });
      await expect(reading).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining(sentence),
      });
      await expect(reading).rejects.not.toMatchObject({ message: expect.stringContaining("hush") });
    },
  );

  it("[CLI-5] a file that is no JSON object is named, exit 2", async () => {
    const merkle = await testMerkle();
    for (const text of ["{", "[]", '{"mcp_url": 5}']) {
      await writeFile(join(merkle.home, ".merkle.json"), text);
      const { code, stderr } = await merkle.run(["status"]);
      expect(code).toBe(2);
      expect(stderr).toContain(join(merkle.home, ".merkle.json"));
    }
  });
});

describe("merkle config", () => {
  it("[CLI-92] tells of each value which flag, variable or file says it, by the order in which they count", async () => {
    const merkle = await testMerkle();
    const path = join(merkle.home, "config.json");
    await merkle.run(["config", "set", "insecure", "true", "--local"]);
    await merkle.run(["config", "set", "trusted_proxies", "10.0.0.0/8,127.0.0.1", "--local"]);
    await writeFile(join(merkle.home, ".env"), "MERKLE_PORT=7500\nMERKLE_AUTH=invite\nMERKLE_MESH=other\n");
    const env = {
      MERKLE_PORT: "7999",
      MERKLE_BUS: "nats://ana:hush@localhost:4222",
      OPENAI_BASE_URL: "http://127.0.0.1:11434/v1",
    };
    const { stdout } = await merkle.run(["config", "list", "--local", "--json", "--ca", "ca.pem"], { env });
    expect(JSON.parse(stdout).local).toMatchObject({
      port: 7999,
      auth: "invite",
      insecure: true,
      trusted_proxies: "10.0.0.0/8, 127.0.0.1",
      mesh: null,
      bus: "nats",
      traces_url: null,
      summaries: "on: gpt-4o-mini at 127.0.0.1:11434",
      sources: {
        port: "MERKLE_PORT",
        auth: `MERKLE_AUTH in ${join(merkle.home, ".env")}`,
        insecure: path,
        trusted_proxies: path,
        ca: "--ca",
        bus: "MERKLE_BUS",
        summaries: "OPENAI_BASE_URL",
        mesh: "default",
      },
    });
  });

  it("[CLI-92] a file takes what its keys take and nothing else, and from an agent no more than where the broker is", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    for (const [name, value, sentence] of [
      ["insecure", "perhaps", "insecure in"],
      ["trusted_proxies", "everybody", "must be addresses or ranges"],
      ["port", "7500", "port cannot be set in config.json"],
      ["insecur", "true", "Did you mean insecure?"],
    ] as const) {
      const set = await merkle.run(["config", "set", name, value, "--local"]);
      expect(set).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
    }
    const asAgent = { env: { CLAUDECODE: "1" } };
    expect(await merkle.run(["config", "set", "insecure", "true", "--local"], asAgent)).toMatchObject({
      code: 2,
    });
    expect(await merkle.run(["config", "edit"])).toMatchObject({ code: 2 });
    expect(await readdir(merkle.home)).not.toContain("config.json");
  });

  it("[SET-3] changes the broker's settings by name while it runs, and finds it on whatever port", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    await merkle.run(["up", "--port", "0", "--detach"]);
    const { url } = await merkle.readRunFile();
    expect((await merkle.run(["config", "get", "url"])).stdout).toBe(`${url}\n`);
    expect(await merkle.run(["config", "set", "url", "http://localhost:9000"])).toMatchObject({
      code: 0,
      stdout: "✓ agents use http://localhost:9000/api/mcp\n",
    });
    expect((await merkle.run(["config", "get", "url"])).stdout).toBe("http://localhost:9000\n");
    expect((await merkle.run(["config", "set", "idle_polls", "20"])).stdout).toBe("✓ idle_polls is 20\n");
    expect(await merkle.run(["config", "set", "idle_polls", "0"])).toMatchObject({ code: 2 });
    expect(await merkle.run(["config", "set", "idle_polls", "many"])).toMatchObject({ code: 2 });
    expect(JSON.parse((await merkle.run(["config", "list", "--json"])).stdout)).toMatchObject({
      broker: { url, settings: { public_url: "http://localhost:9000", idle_polls: 20 } },
      local: { home: merkle.home, url_from: "default", sources: { home: "MERKLE_HOME", url: "default" } },
    });
    expect((await merkle.run(["config", "set", "url", "none"])).stdout).toBe(`✓ agents use ${url}/api/mcp\n`);
  });

  it("[CLI-8] --local writes this machine's file for its owner alone, and keeps what others wrote in it", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const path = join(merkle.home, "config.json");
    expect((await merkle.run(["config", "path"])).stdout).toBe(`${path}\n`);
    await writeFile(path, '{"agent": {"kept": true}}', { mode: 0o644 });
    await merkle.run(["config", "set", "url", "http://elsewhere:7423/api/mcp", "--local"]);
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
      agent: { kept: true },
      mcp_url: "http://elsewhere:7423",
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await merkle.run(["config", "get", "url", "--local"])).stdout).toBe("http://elsewhere:7423\n");
    expect(await merkle.run(["config", "get", "url", "--local", "--json"])).toMatchObject({
      stdout: expect.stringContaining(JSON.stringify(path)),
    });
    await merkle.run(["config", "set", "url", "none", "--local"]);
    expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ agent: { kept: true } });
  });
});
