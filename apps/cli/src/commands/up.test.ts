import { once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { getPriority, hostname, networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findProcesses } from "../../../../tests/kit/processes.js";
import { getSharedBroker } from "../../../../tests/kit/test-broker.js";
import { readProcessStart } from "../core/process-table.js";
import { findForeignEnvFiles } from "../settings/env-files.js";
import { trustFile } from "../settings/foreign-file.js";
import { testMerkle } from "../test-kit/merkle.js";

const hasIPv6Loopback = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);
const anyPort = ["up", "--port", "0"];

/** Returns the PostgreSQL processes that run on a home. */
async function listServers(home: string): Promise<string[]> {
  return (await findProcesses(home)).map(({ args }) => args).filter((args) => args.includes("postgres"));
}

/** Makes a server listen until the test ends. Returns its port. */
async function listenUntilEnd(server: Server, host = "127.0.0.1", port = 0): Promise<number> {
  await once(server.listen(port, host), "listening");
  onTestFinished(() => {
    server.close();
  });
  return Object(server.address()).port;
}

/** Returns the nice value of each thread of a process, main thread first (proc(5), field 19 of stat). */
async function readNiceness(pid: number): Promise<number[]> {
  const threads = (await readdir(`/proc/${pid}/task`)).sort((one, other) => Number(one) - Number(other));
  return Promise.all(
    threads.map(async (id) => {
      const text = await readFile(`/proc/${pid}/task/${id}/stat`, "utf8");
      return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[16]);
    }),
  );
}

/** Returns a command prefix that limits how many files the command may open. */
function wrapWithLimit(descriptors: number): string[] {
  return ["bash", "-c", `ulimit -n ${descriptors}; exec "$0" "$@"`];
}

describe("merkle up", () => {
  it("[CLI-1] says where the broker is, and [OPS-6] leaves nothing running after SIGTERM", async () => {
    const merkle = await testMerkle();
    const up = merkle.start(anyPort, { fromNothing: true });
    await up.waitForOutput("agents use");
    const { url, pid } = await merkle.readRunFile();
    expect(pid).toBe(up.process.pid);
    if (process.platform === "linux") {
      // [OPS-9] Only the JavaScript engine's helper threads have a lower priority than the main thread, which
      // handles calls.
      const [first, ...others] = await readNiceness(pid);
      expect(first).toBe(getPriority());
      expect(others.slice(0, 5)).toEqual([10, 10, 10, 10, 10]);
      expect(new Set(others.slice(5))).toEqual(new Set([getPriority()]));
    }
    expect(await merkle.run(["status"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^broker up \ds, 0 peers waiting for messages, 0 open sessions\n$/),
    });

    up.process.kill("SIGTERM");
    const { code, stdout, stderr } = await up.ended;
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.trimEnd())).toEqual([
      expect.stringMatching(/^✓ database ready, \d+ migrations? run, 0 migrations pending$/),
      `✓ broker     ${url}          loopback only`,
      `✓ agents use ${url}/api/mcp  change: merkle config set url <url>`,
      "✓ summaries  off: neither OPENAI_API_KEY nor OPENAI_BASE_URL is set",
      expect.stringMatching(
        new RegExp(`^✓ you open   ${url}/#verify=mkv_[\\w-]{43}  one-time link, valid 24 h: `),
      ),
      "",
    ]);
    expect(stderr).toContain("next: merkle demo");
    expect(stderr).toContain(`${url}/agents.md`);
    expect(stderr).toContain(`${url}/agents.md`);
    expect(stderr).toMatch(/stopped\n$/);
    expect(await listServers(merkle.home)).toEqual([]);
    expect(await merkle.run(["status"])).toMatchObject({ code: 3 });
  });

  it("[OPS-6] tells who will reconnect, and [CLI-3] gives one document with --json", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const up = merkle.start([...anyPort, "--json"]);
    await up.waitForOutput("\n");
    const { url } = await merkle.readRunFile();
    const created = await fetch(`${url}/api/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ title: "A session", creator_team_name: "Atlas" }),
    });
    const { team_id } = (await created.json()) as { team_id: string };
    const waiting = fetch(`${url}/api/sessions/a-session/messages/wait`, {
      headers: { "X-Team-ID": team_id },
    });
    await expect
      .poll(async () => (await merkle.run(["status"])).stdout)
      .toContain("1 peer waiting for messages, 1 open session");

    expect(await merkle.run(["down"])).toMatchObject({ code: 0, stdout: "stopped, 1 peer will reconnect\n" });
    expect((await waiting).status).toBe(200);
    const { code, stdout } = await up.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      url,
      mcp_url: `${url}/api/mcp`,
      database: "embedded",
      loopback: true,
    });
  });

  it("[CLI-1] --detach returns when the broker takes calls, and down ends it", async () => {
    const merkle = await testMerkle();
    const up = await merkle.run([...anyPort, "--detach"]);
    expect(up).toMatchObject({ code: 0, stdout: expect.stringContaining("✓ agents use") });
    const { url, pid } = await merkle.readRunFile();
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const other = await merkle.run(["down", "--url", "http://localhost:1"]);
    expect(other).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Nothing was stopped"),
    });
    expect(await merkle.run(["down", "--json"])).toMatchObject({
      code: 0,
      stdout: `${JSON.stringify({ stopped: true, home: merkle.home, pid, peers: 0 })}\n`,
    });
    expect(await merkle.run(["down"])).toMatchObject({
      code: 0,
      stdout: `no broker runs on ${merkle.home}\n`,
    });
    expect(await listServers(merkle.home)).toEqual([]);
  });

  it("[CLI-85] the start names the variables that set the port and the address of agents", async () => {
    const merkle = await testMerkle();
    const folder = join(merkle.home, "project");
    await mkdir(folder);
    const path = join(folder, ".env.local");
    await writeFile(path, "PORT=0\nMCP_URL=http://localhost:7600/mcp\n");
    for (const file of findForeignEnvFiles({ cwd: folder })) trustFile(merkle.home, file);
    const up = merkle.start(["up"], { cwd: folder, env: { MERKLE_PORT: "" } });
    await up.waitForOutput("agents use");
    up.process.kill("SIGTERM");
    const { stdout } = await up.ended;
    expect(stdout).toContain(`loopback only, port from PORT in ${path}\n`);
    expect(stdout).toContain(
      `http://localhost:7600/mcp  from MCP_URL in ${path}; change: merkle config set url`,
    );
  });

  it("[CLI-140] advises the launcher that is installed, by its path while the PATH lacks it, and not to install it again", {
    tags: "posix",
  }, async () => {
    const merkle = await testMerkle();
    await merkle.run(["install", "--cli"]);
    const up = await merkle.run([...anyPort, "--detach"]);
    expect(up).toMatchObject({ code: 0, stderr: expect.not.stringContaining("install.sh") });
    expect(up.stderr).toContain("next: ~/.local/bin/merkle demo   ·");
    expect(up.stderr).toContain('to put merkle on your PATH: export PATH="$HOME/.local/bin:$PATH"');
    expect((await merkle.run(["down"])).code).toBe(0);
    const env = { PATH: `${join(merkle.home, ".local/bin")}:${process.env["PATH"]}` };
    const known = await merkle.run([...anyPort, "--detach"], { env });
    expect(known.stderr).toContain("next: merkle demo   ·");
    expect(known.stderr).not.toMatch(/install\.sh|export PATH/);
  });

  it("[DB-5] refuses a home that another broker has, names its process, and leaves its log alone", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const up = merkle.start(anyPort);
    await up.waitForOutput("agents use");
    const log = await readFile(join(merkle.home, "logs/broker.log"), "utf8");
    for (const args of [anyPort, [...anyPort, "--detach"]]) {
      expect(await merkle.run(args)).toMatchObject({
        code: 6,
        stdout: "",
        stderr: expect.stringMatching(
          new RegExp(`^✗ .*process ${up.process.pid}\\..*\n    try: merkle status`),
        ),
      });
    }
    expect(await readFile(join(merkle.home, "logs/broker.log"), "utf8")).toBe(log);
    expect((await merkle.readRunFile()).pid).toBe(up.process.pid);
  });

  it("[CLI-150] names what uses its port, before a database is started, and leaves nothing running", async () => {
    const merkle = await testMerkle();
    const other = await getSharedBroker();
    const silent = await listenUntilEnd(
      createServer((socket) => socket.on("data", () => socket.end("220\r\n"))),
    );
    const http = createHttpServer((_, response) =>
      response.setHeader("Server", "nginx/1.27.0").end("Welcome"),
    );
    for (const [port, named, more] of [
      [silent, "another program", []],
      [silent, "another program", ["--detach"]],
      [await listenUntilEnd(http), "another HTTP server \\(nginx/1\\.27\\.0\\)", ["--detach"]],
      [Number(new URL(other.url).port), "another Merkle broker \\(version .+\\)", []],
    ] as const) {
      const { code, stdout, stderr } = await merkle.run(["up", "--port", `${port}`, ...more], {
        fromNothing: true,
      });
      expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
      expect(stderr).toMatch(
        new RegExp(`^✗ Port ${port} on 127\\.0\\.0\\.1 is in use by ${named}\\. Stop it, or .*--port`),
      );
      expect(await readdir(merkle.home)).not.toContain("pg");
    }
    expect(await findProcesses(merkle.home)).toEqual([]);
  });

  it.runIf(hasIPv6Loopback)(
    "[CLI-150] a server of others at its port of [::1] is named, and every address is with 127.0.0.1",
    async () => {
      const merkle = await testMerkle();
      const http = createHttpServer((_, response) => response.end("Not Merkle"));
      const port = await listenUntilEnd(http, "::1");
      const up = await merkle.run(["up", "--port", `${port}`, "--detach"]);
      expect(up.code, up.stderr).toBe(0);
      expect(up.stdout).toContain(`may reach another HTTP server at [::1]:${port}: use 127.0.0.1`);
      expect(up.stdout).toContain(`http://127.0.0.1:${port}/#verify=`);
      expect(up.stdout + up.stderr).not.toContain("//localhost");
      const { url } = await merkle.readRunFile();
      expect(await (await fetch(`${url}/agents.md`)).text()).toContain(`${url}/api/mcp`);
    },
  );

  it("[CLI-150] --detach that is interrupted leaves nothing running", { tags: "posix" }, async () => {
    const merkle = await testMerkle();
    const up = merkle.start([...anyPort, "--detach"], { fromNothing: true });
    // The first process whose command line names the home initialises its PostgreSQL.
    await expect.poll(async () => (await findProcesses(merkle.home)).length).toBeGreaterThan(0);
    up.process.kill("SIGTERM");
    expect(await up.ended).toMatchObject({ code: 130 });
    expect(await findProcesses(merkle.home)).toEqual([]);
  });

  it("[AUTH-5] [NODE-4] refuses to let everybody in beyond loopback without --insecure-open, exit 2; with it, is at the machine's name", {
    tags: "long",
  }, async () => {
    const merkle = await testMerkle();
    const wide = [...anyPort, "--host", "0.0.0.0", "--auth", "open"];
    expect(await merkle.run(wide, { fromNothing: true })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("add --insecure-open to allow it"),
    });
    expect(await readdir(merkle.home)).toEqual([]);
    const open = merkle.start([...wide, "--insecure-open"]);
    await open.waitForOutput("anyone who can reach it can connect");
    const { stdout } = await merkle.run(["nodes", "--json"]);
    expect(JSON.parse(stdout).nodes).toMatchObject([
      { address: expect.stringContaining(`//${hostname()}:`), own: true },
    ]);
  });

  it("[AUTH-5] refuses to let everybody in where files are worked on, before anything is started, exit 2", async () => {
    const merkle = await testMerkle();
    const path = join(merkle.home, "config.json");
    const text = JSON.stringify({ agent: { roots: { app: merkle.home } } });
    await writeFile(path, text, { mode: 0o600 });
    for (const [more, env] of [
      [["--auth", "open"], {}],
      [["--auth", "open", "--detach"], {}],
      [[], { MERKLE_AUTH: "open" }],
    ] as const) {
      expect(await merkle.run([...anyPort, ...more], { env, fromNothing: true })).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(`agent.roots in ${path}; add --insecure-open to allow it`),
      });
    }
    expect(await readdir(merkle.home)).toEqual(["config.json"]);
  });

  it("[AUTH-5] [INVITE-9] beyond loopback lets members alone in, and shows the first admin's invite, which no file keeps", async () => {
    const merkle = await testMerkle();
    const wide = [...anyPort, "--host", "0.0.0.0", "--detach"];
    const { stdout, stderr } = await merkle.run(wide, { fromNothing: true });
    expect(stdout).toContain("invite mode: reachable from other machines");
    const [, secret = ""] =
      /first admin http:\S+\/join#([A-Za-z0-9_-]{22}) {2}one use, valid 24 h/.exec(stdout) ?? [];
    expect(secret).not.toBe("");
    expect(stderr).toContain("next: merkle join -");
    const { url } = await merkle.readRunFile();
    expect((await fetch(new URL("/api/sessions", url))).status).toBe(401);
    for (const file of ["logs/broker.log", "logs/up.log", "broker.json"]) {
      expect(await readFile(join(merkle.home, file), "utf8")).not.toContain(secret);
    }
  });

  it("[CLI-84] says that it may open too few files, where its modules would count as missing", {
    tags: "linux",
  }, async () => {
    const merkle = await testMerkle(undefined, undefined, wrapWithLimit(120));
    for (const args of [["status"], anyPort]) {
      expect(await merkle.run(args)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringMatching(
          /^merkle cannot start: it may open 120 files at once, and needs 512\. .*ulimit/,
        ),
      });
    }
  });

  it("[DB-3] goes on after kill -9: nothing runs, and the next start adopts the database", async () => {
    const merkle = await testMerkle();
    await merkle.run([...anyPort, "--detach"]);
    const { pid } = await merkle.readRunFile();
    process.kill(pid, "SIGKILL");
    // The port closes before the process has exited. Until the process exits, `merkle down` would still find
    // it.
    await expect.poll(() => readProcessStart(pid)).toBeNull();
    expect(await merkle.run(["status"])).toMatchObject({ code: 3 });
    expect(await merkle.run(["down"])).toMatchObject({ stdout: `no broker runs on ${merkle.home}\n` });
    expect(await merkle.run([...anyPort, "--detach"])).toMatchObject({ code: 0 });
    expect(await readFile(join(merkle.home, "logs/broker.log"), "utf8")).toContain("adopted the PostgreSQL");
    await merkle.run(["down"]);
    expect(await listServers(merkle.home)).toEqual([]);
  });

  it("[CLI-8] keeps its log and what it wrote down for its owner alone", async () => {
    const merkle = await testMerkle();
    await merkle.run([...anyPort, "--detach"]);
    for (const file of ["logs/broker.log", "logs/up.log", "broker.json"]) {
      expect((await stat(join(merkle.home, file))).mode & 0o777, file).toBe(0o600);
    }
  });

  it("[DB-9] ends with a sentence when there is no database where DATABASE_URL says, and keeps its password", async () => {
    const merkle = await testMerkle();
    const env = { DATABASE_URL: "postgres://me:hush@127.0.0.1:1/merkle" };
    const { code, stderr } = await merkle.run(anyPort, { env });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^✗ No database responds at 127\.0\.0\.1:1\/merkle .*DATABASE_URL/);
    expect(stderr).not.toContain("hush");
  });
});
