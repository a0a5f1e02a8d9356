import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { testMerkle } from "../test-kit/merkle.js";
import { startAtTerminal } from "../test-kit/terminal.js";
import { readConfig } from "./config.js";
import { findForeignEnvFiles } from "./env-files.js";
import { trustFile } from "./foreign-file.js";
import { settings } from "./settings.js";

const database = "postgres://ana:hush@database.example.com:5432/mesh";

/** Creates a folder that contains these files, and returns functions that read the configuration there. */
async function makeFolder(files: Readonly<Record<string, string>>) {
  const cwd = await mkdtemp(join(tmpdir(), "merkle-env-"));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const home = join(cwd, "home");
  await mkdir(home, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  return {
    cwd,
    home,
    read: (env: NodeJS.ProcessEnv = {}, envFiles = true) =>
      readConfig({ flags: {}, env: { MERKLE_HOME: home, ...env }, cwd, envFiles }),
    async trust() {
      for (const file of findForeignEnvFiles({ cwd })) trustFile(home, file);
    },
  };
}

it("[CLI-85] the environment comes before .env.local, and that before .env; what was read is told by name, and no value is", async () => {
  const { cwd, read, trust } = await makeFolder({
    ".env": `MERKLE_PORT=7501\nMERKLE_AUTH="invite"\nexport DATABASE_URL='${database}' # theirs\nOTHER=1`,
    ".env.local": "MERKLE_PORT=7502\nMERKLE_ALLOWED_HOSTS=\n",
  });
  await trust();
  const config = await read({ MERKLE_AUTH: "" });
  expect(config).toMatchObject({ port: 7502, auth: undefined, databaseUrl: database, allowedHosts: [] });
  expect(config.environment["OTHER"]).toBeUndefined();
  expect(config.notices).toEqual([
    `${join(cwd, ".env.local")} is read: MERKLE_ALLOWED_HOSTS, MERKLE_PORT`,
    `${join(cwd, ".env")} is read: DATABASE_URL`,
  ]);
  expect(await read({ MERKLE_PORT: "7503", DATABASE_URL: "" })).toMatchObject({
    port: 7503,
    auth: "invite",
    databaseUrl: undefined,
  });
  expect(await read({}, false)).toMatchObject({ port: 7423, databaseUrl: undefined, notices: [] });
});

it("[CLI-85] a bad value is named with its file, exit 2, whether the file is trusted or not", async () => {
  const { cwd, home, read } = await makeFolder({ ".env": "DATABASE_URL=nonsense-hush" });
  const path = join(cwd, ".env");
  const refused = read();
  await expect(refused).rejects.toMatchObject({ exitCode: 2 });
  await expect(refused).rejects.toThrow(
    `DATABASE_URL in ${path} must be an address such as postgres://user:password@host:5432/database.`,
  );
  await expect(refused).rejects.not.toThrow("hush");
  expect(await read({ DATABASE_URL: "" })).toMatchObject({ databaseUrl: undefined });
  await writeFile(path, "MERKLE_PORT=high");
  await expect(read()).rejects.toThrow(`MERKLE_PORT in ${path} must be a whole number`);
  await rm(path);
  // In Python projects, `.env` can be the folder of a virtual environment.
  await mkdir(path);
  expect((await read()).notices).toEqual([]);
  expect(await readdir(home)).toEqual([]);
});

it("[CLI-82] [CLI-85] a hostile project's files send nothing anywhere and let nobody in until a person trusts them, as they are", async () => {
  const text = [
    `DATABASE_URL=${database}`,
    "MERKLE_PUBLIC_URL=https://evil.example.com",
    "MERKLE_ALLOWED_HOSTS=evil.example.com",
    "MERKLE_TRUSTED_PROXIES=0.0.0.0/0",
    "MERKLE_TLS_CERT=theirs.pem",
    "MERKLE_TLS_KEY=theirs.key",
    "MERKLE_BUS=nats://ana:hush@evil.example.com:4222",
    "MERKLE_AUDIT_KEY_FILE=theirs.json",
    "MERKLE_TRACES_URL=https://ana:hush@evil.example.com/v1/traces",
    "MERKLE_HOME=./home-of-theirs",
    "MERKLE_URL=https://evil.example.com",
    "MERKLE_INSECURE=1",
    "MERKLE_TOKEN=theirs",
    "NODE_OPTIONS=--require=./theirs.js",
    "PATH=./theirs",
  ].join("\n");
  const { cwd, home, read, trust } = await makeFolder({ ".env.local": text, ".env": "DATABASE_URL=" });
  const path = join(cwd, ".env.local");
  const key = { OPENAI_API_KEY: "sk-own" };
  const before = await read(key);
  expect(before.environment).toEqual({ MERKLE_HOME: home, ...key });
  expect(before).toMatchObject({ home, databaseUrl: undefined, publicUrl: undefined, allowedHosts: [] });
  expect(before).toMatchObject({ bus: undefined, auditKeyFile: undefined, tracesUrl: undefined });
  expect(before).toMatchObject({ trustedProxies: [], tls: undefined, insecure: false, token: undefined });
  expect(before.broker.source).toBe("default");
  expect(before.notices).toEqual([
    `${path} is not read for DATABASE_URL, MERKLE_ALLOWED_HOSTS, MERKLE_AUDIT_KEY_FILE, MERKLE_BUS, MERKLE_PUBLIC_URL, MERKLE_TLS_CERT, MERKLE_TLS_KEY, MERKLE_TRACES_URL, MERKLE_TRUSTED_PROXIES because you have not trusted it: merkle trust`,
    `${path} is not read for MERKLE_INSECURE, MERKLE_TOKEN, MERKLE_URL: set it in the environment, which every command reads`,
  ]);
  expect(before.notices.join()).not.toContain("evil");

  await trust();
  const trusted = await read(key);
  expect(trusted).toMatchObject({ home, databaseUrl: database, publicUrl: "https://evil.example.com" });
  expect(trusted).toMatchObject({
    bus: "nats://ana:hush@evil.example.com:4222",
    auditKeyFile: join(cwd, "theirs.json"),
    tracesUrl: "https://ana:hush@evil.example.com/v1/traces",
  });
  const [file] = findForeignEnvFiles({ cwd });
  expect(file?.says.join("\n")).toContain("database.example.com:5432/mesh");
  expect(file?.says.join("\n")).not.toContain("hush");

  await writeFile(join(cwd, "theirs.key"), "another");
  expect((await read()).databaseUrl).toBeUndefined();
});

it("[CLI-85] merkle up says what it read and uses it once merkle trust was answered; merkle backup finds the same database", {
  tags: ["long", "terminal"],
}, async () => {
  const merkle = await testMerkle();
  const cwd = join(merkle.home, "project");
  await mkdir(cwd);
  const unreachable = "postgres://ana:hush@127.0.0.1:1/mesh";
  await writeFile(join(cwd, ".env"), `DATABASE_URL=${unreachable}\nMERKLE_PORT=0\n`);
  const env = { MERKLE_HOME: merkle.home, HOME: merkle.home };
  const up = merkle.start(["up", "--port", "0"], { cwd });
  await up.waitForOutput("agents use");
  up.process.kill("SIGTERM");
  const { stderr } = await up.ended;
  expect(stderr).toContain(`${join(cwd, ".env")} is not read for DATABASE_URL`);

  const terminal = startAtTerminal({ home: cwd }, ["trust"], env);
  await terminal.waitForScreen("Trust its current content?");
  terminal.type("y\r");
  const { screen } = await terminal.ended;
  expect(screen).toContain("127.0.0.1:1/mesh");
  expect(screen).not.toContain("hush");
  for (const args of [["up"], ["up", "--detach"], ["backup", "all.backup"]]) {
    const ended = await merkle.run(args, { cwd });
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toMatch(/\.env is read: DATABASE_URL/);
    expect(ended.stderr).toMatch(/No database responds at 127.0.0.1:1|connect ECONNREFUSED 127.0.0.1:1/);
    expect(ended.stderr).not.toContain("hush");
  }
  expect(await readdir(cwd)).toEqual([".env"]);
});

it("[CLI-85] PORT counts for what starts a broker where MERKLE_PORT is not set, and is named as its source", async () => {
  const { cwd, read } = await makeFolder({ ".env": "PORT=7505", ".env.local": "MERKLE_AUTH=open" });
  const config = await read();
  expect(config).toMatchObject({ port: 7505, broker: { base: "http://localhost:7505" } });
  expect(config.getSource(settings.port)).toBe(`PORT in ${join(cwd, ".env")}`);
  expect((await read({ PORT: "7506" })).port).toBe(7506);
  expect((await read({ PORT: "7506", MERKLE_PORT: "7507" })).getSource(settings.port)).toBe("MERKLE_PORT");
  // Many programs set PORT, so a command that only calls a broker must not use it.
  expect((await read({ PORT: "3000" }, false)).broker.base).toBe("http://localhost:7423");
  await expect(read({ PORT: "high" })).rejects.toThrow("PORT must be a whole number from 0 to 65535");
});

it("[CLI-85] MCP_URL of a trusted file is the address of agents, and of the environment that of the broker to call", async () => {
  const ours = "https://mesh.example.com/mcp";
  const { cwd, read, trust } = await makeFolder({ ".env.local": `MCP_URL=${ours}` });
  const path = join(cwd, ".env.local");
  const untrusted = await read();
  expect(untrusted.publicUrl).toBeUndefined();
  expect(untrusted.notices).toEqual([
    `${path} is not read for MCP_URL because you have not trusted it: merkle trust`,
  ]);
  expect(findForeignEnvFiles({ cwd })).toMatchObject([{ says: [`agents use the address ${ours}`] }]);
  await trust();
  const config = await read({ MCP_URL: "http://localhost:7600/mcp" });
  expect(config).toMatchObject({ publicUrl: ours, broker: { base: "http://localhost:7600" } });
  expect(config.getSource(settings.publicUrl)).toBe(`MCP_URL in ${path}`);
  expect((await read()).broker.base).toBe("http://localhost:7423");
  expect((await read({ MERKLE_PUBLIC_URL: "http://localhost:7601" })).publicUrl).toBe(
    "http://localhost:7601",
  );
  await writeFile(path, `MCP_URL=${ours}\nMERKLE_PUBLIC_URL=https://other.example.com`);
  await trust();
  expect((await read()).publicUrl).toBe("https://other.example.com");
  await writeFile(path, "MCP_URL=nonsense");
  await trust();
  await expect(read()).rejects.toThrow(`MCP_URL in ${path}`);
});
