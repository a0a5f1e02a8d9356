import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageName } from "@merkle/wire/text";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { installTestClaude } from "../../apps/cli/src/test-kit/claude.js";
import { type TestMerkle, testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import { startNatsServer } from "../kit/nats-server.js";
import { startTestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";
import { type InstalledPackage, installPackage } from "./installed-package.js";

const checkout = fileURLToPath(new URL("../..", import.meta.url));

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
  return installed.remove;
});

/** Starts the broker of the installed package. Returns its address. */
async function up(merkle: TestMerkle, env: Readonly<Record<string, string>> = {}): Promise<string> {
  expect(await merkle.run(["up", "--port", "0", "--detach"], { env })).toMatchObject({ code: 0 });
  return (await merkle.readRunFile()).url;
}

async function readDescription(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(path, "utf8"));
}

describe("what is in it", () => {
  it("[PACK-1] holds the command, the bundle and its papers, and no sources", async () => {
    expect((await readdir(installed.folder)).sort()).toEqual([
      "LICENSE",
      "README.md",
      "THIRD-PARTY-NOTICES.txt",
      "bin",
      "bundle",
      "man",
      "package.json",
    ]);
    const { man } = await readDescription(join(installed.folder, "package.json"));
    const pages = (await readdir(join(installed.folder, "man"))).map((name) => `./man/${name}`);
    expect([...Object(man)].sort(), "npm links these: [INSTALL-13]").toEqual(pages.sort());
    const files = await readdir(installed.folder, { recursive: true });
    expect(files.filter((file) => /\.(?:ts|map|tsbuildinfo|log)$|node_modules|test/.test(file))).toEqual([]);
    expect((await stat(installed.program)).mode & 0o100).toBe(0o100);
  });

  it("[PACK-1] needs one package besides it, PostgreSQL's binaries of this platform, and runs no script of its own", async () => {
    const { optionalDependencies, ...description } = await readDescription(
      join(installed.folder, "package.json"),
    );
    const storage = await readDescription(join(checkout, "packages/db/package.json"));
    // The additional package is an older PostgreSQL, used only by tests.
    expect(storage["optionalDependencies"]).toEqual({
      ...Object(optionalDependencies),
      "postgres-15-linux-x64": expect.any(String),
    });
    expect(description).not.toHaveProperty("dependencies");
    expect(description).not.toHaveProperty("peerDependencies");
    expect(Object.keys(Object(description["scripts"]))).not.toContain(
      expect.stringMatching(/^(?:pre|post)?install$/),
    );
    expect(description).toMatchObject({ name: packageName, license: "MIT", engines: { node: ">=20.19" } });
    expect(description).not.toHaveProperty("private");
  });

  it("[PACK-2] names the license of everything of others that it holds", async () => {
    const notices = await readFile(join(installed.folder, "THIRD-PARTY-NOTICES.txt"), "utf8");
    const sections = notices.split(`\n\n${"-".repeat(80)}\n\n`).slice(1);
    for (const section of sections) expect(section.length).toBeGreaterThan(300);
    // Packages from the bundle, from the dashboard's pages, and from inside other packages.
    for (const name of ["zod", "ws", "commander", "drizzle-orm", "react", "radix-ui", "geist", "core-js"]) {
      expect(sections.filter((section) => new RegExp(`^${name}[ ,]`, "m").test(section))).not.toEqual([]);
    }
  });

  it("[PACK-5] in a checkout the compiled sources run, whatever bundle lies there", async () => {
    const folder = await mkdtemp(join(tmpdir(), "merkle-checkout-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(join(installed.folder, "bin"), join(folder, "bin"), { recursive: true });
    for (const place of ["dist", "bundle"]) {
      await mkdir(join(folder, place));
      const main = `export async function main() { console.log(${JSON.stringify(place)}); }`;
      await writeFile(join(folder, place, "main.js"), main);
    }
    const merkle = await testMerkle(onTestFinished, join(folder, "bin/merkle.mjs"));
    expect(await merkle.run([])).toMatchObject({ stdout: "bundle\n" });
    await mkdir(join(folder, "src"));
    expect(await merkle.run([])).toMatchObject({ stdout: "dist\n" });
    await rm(join(folder, "dist"), { recursive: true });
    expect(await merkle.run([])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("npm run build"),
    });
  });

  it("[CLI-2] a command that Node leaves waiting has failed, and says so", async () => {
    const folder = await mkdtemp(join(tmpdir(), "merkle-waiting-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(join(installed.folder, "bin"), join(folder, "bin"), { recursive: true });
    await mkdir(join(folder, "bundle"));
    await writeFile(
      join(folder, "bundle/main.js"),
      "export function main() { return new Promise(() => undefined); }",
    );
    const merkle = await testMerkle(onTestFinished, join(folder, "bin/merkle.mjs"));
    expect(await merkle.run([])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("a fault of merkle"),
    });
  });
});

describe("installed alone", () => {
  let merkle: TestMerkle;
  let url: string;
  let rest: TransportClient;
  beforeAll(async () => {
    const endings: (() => Promise<void>)[] = [];
    merkle = await testMerkle((ending) => endings.push(ending), installed.program);
    url = await up(merkle);
    rest = await transports.rest(url);
    return async () => {
      for (const end of endings.reverse()) await end();
    };
  });

  /** Creates a session with this document. Returns its slug and its first team's credential. */
  async function writeSession(
    title: string,
    content: string,
  ): Promise<{ session_id: string; team_id: string }> {
    const { slug, team_id } = await rest.call("create_session", { title, creator_team_name: "Atlas" });
    await rest.call("update_session_doc", { session_id: slug, team_id, content, expected_version: 0 });
    return { session_id: slug, team_id };
  }

  it("[PACK-3] serves the dashboard, REST, MCP and WebSocket, and goes on where it stopped", async () => {
    const page = await fetch(url);
    expect(await page.text()).toContain("<title>Sessions</title>");
    expect(page.headers.get("content-security-policy")).toContain("script-src");
    for (const path of ["/health", "/agents.md", "/openapi.json", "/metrics", "/icon.svg"]) {
      expect((await fetch(`${url}${path}`)).status).toBe(200);
    }

    const { version } = await readDescription(join(installed.folder, "package.json"));
    const { session_id, team_id } = await writeSession("Every transport", "Text.");
    for (const open of Object.values(transports)) {
      const transport = await open(url);
      expect(await transport.call("get_app_info", {})).toMatchObject({ version });
      await transport.call("post_message", { session_id, team_id, content: { text: transport.name } });
      await transport.close();
    }

    expect(await merkle.run(["down"])).toMatchObject({ code: 0 });
    url = await up(merkle);
    rest = await transports.rest(url);
    const { messages } = await rest.call("get_history", { session_id });
    expect(messages.map(({ content }) => content["text"])).toEqual(
      expect.arrayContaining(["rest", "mcp", "websocket"]),
    );
  });

  it("[PACK-3] computes what is large in a thread of its own", async () => {
    const { session_id, team_id } = await writeSession("Large", "a line\n".repeat(4_000));
    const late = rest.call("update_session_doc", { session_id, team_id, content: "b", expected_version: 0 });
    await expect(late).rejects.toMatchObject({
      code: "conflict",
      details: { diff: expect.stringContaining("+a line") },
    });
    expect(
      await rest.call("conclude_session", { session_id, team_id, summary_section: "Done." }),
    ).toMatchObject({ status: "closed" });
  });

  it("[PACK-3] [NODE-1] hears of other nodes over NATS", { tags: ["long", "nats"] }, async () => {
    const nats = await startNatsServer();
    const node = await testMerkle(onTestFinished, installed.program);
    const address = await up(node, { MERKLE_BUS: nats.url });
    await expect
      .poll(async () => (await fetch(`${address}/health`)).json())
      .toMatchObject({ ready: true, degraded: false });
  });

  it("[PACK-3] backs up, restores, checks the machine and says its version", { tags: "long" }, async () => {
    const content = Array.from({ length: 10_000 }, (_, line) => `line ${line} ${Math.random()}`).join("\n");
    const { session_id } = await writeSession("Kept", content);
    const file = join(merkle.home, "merkle.backup");
    expect(await merkle.run(["backup", file])).toMatchObject({ code: 0 });
    const PATH = `${await installTestClaude(merkle.home)}${delimiter}${process.env["PATH"]}`;
    expect(await merkle.run(["doctor"], { env: { PATH } })).toMatchObject({ code: 0 });
    expect(await merkle.run(["help", "up"])).toMatchObject({ code: 0 });
    const { version } = await readDescription(join(installed.folder, "package.json"));
    expect(await merkle.run(["version"])).toMatchObject({ code: 0, stdout: `${version}\n` });

    const other = await testMerkle(onTestFinished, installed.program);
    expect(await other.run(["restore", file])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/restored \d+ sessions?,/),
    });
    await copyFile(join(merkle.home, "audit-key.json"), join(other.home, "audit-key.json"));
    const restored = await transports.rest(await up(other));
    expect(await restored.call("read_session_doc", { session_id })).toMatchObject({ content });
  });
});

describe("starting", () => {
  it("[PACK-4] help and version load neither the broker nor the contract", async () => {
    for (const args of [["--help"], ["help", "up"], ["version"]]) {
      // Names from the code of the broker, the contract and the prompt library. They occur in no other script.
      expect(await loadedBy(args)).not.toMatch(/startBroker|rotate_team_credential|ExitPromptError/);
    }
  });

  it("[PACK-4] what asks a broker loads no schema", async () => {
    const { url } = await startTestBroker();
    const loaded = await loadedBy(["ls"], { MERKLE_URL: url });
    expect(loaded).toMatch(/list_sessions/);
    expect(loaded).not.toMatch(/ZodObject|startBroker/);
  });

  it("[PACK-4] speaking MCP over stdio loads no broker, and sets up no validator that nothing uses", async () => {
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
    };
    const functions = await ranBy(["mcp"], `${JSON.stringify(initialize)}\n`);
    expect(functions).toContain("serveStdio");
    expect(functions).not.toContain("startBroker");
    expect(functions).not.toContain("_addFormats");
  });
});

async function loadedBy(args: readonly string[], env = {}): Promise<string> {
  const scripts = await coverageOf(args, { env });
  expect(scripts).not.toEqual([]);
  return (await Promise.all(scripts.map(({ path }) => readFile(path, "utf8")))).join("\n");
}

/** Returns the names of the functions that ran during a command. */
async function ranBy(args: readonly string[], input: string): Promise<string[]> {
  const scripts = await coverageOf(args, { input });
  return scripts.flatMap(({ functions }) =>
    functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName),
  );
}

interface LoadedScript {
  readonly path: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/** Returns the package's scripts that Node.js loaded for a command, from its coverage report. */
async function coverageOf(args: readonly string[], { input = "", env = {} }): Promise<LoadedScript[]> {
  const merkle = await testMerkle(onTestFinished, installed.program);
  const folder = join(merkle.home, "coverage");
  const ended = await merkle.run(args, { input, env: { ...env, NODE_V8_COVERAGE: folder } });
  expect(ended).toMatchObject({ code: 0 });
  const [report = ""] = await readdir(folder);
  const { result } = JSON.parse(await readFile(join(folder, report), "utf8"));
  return result
    .filter(({ url }: { url: string }) => url.startsWith("file:") && url.includes("/bundle/"))
    .map(({ url, functions }: { url: string; functions: LoadedScript["functions"] }) => ({
      path: fileURLToPath(url),
      functions,
    }));
}
