import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { atEnd } from "../../../../tests/kit/at-end.js";
import { startTestBroker, type TestBroker } from "../../../../tests/kit/test-broker.js";
import { type BrokerClient, createBrokerClient } from "../broker-client.js";
import { processBegan } from "../process-began.js";
import {
  type Ended,
  type RunOptions,
  type Started,
  type TestMerkle,
  testMerkle,
} from "../test-kit/merkle.js";

// Each launch is two processes, on a machine that has much to do.
vi.setConfig({ testTimeout: 60_000 });

let broker: TestBroker;
let client: BrokerClient;

const cleanup = atEnd();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  client = createBrokerClient({ base: broker.url, source: "default" }, new AbortController().signal);
});

/** Stands where Claude Code is installed: writes down how it was called, and ends as it is told. */
const claudeScript = (program: string) => `#!/bin/sh
[ "$1" = --version ] && { echo "0.0.1 (test)"; exit; }
exec ${process.execPath} ${program} "$@"
`;

const claudeProgram = `
const { readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const config = process.argv[2].replace("--mcp-config=", "");
const record = {
  pid: process.pid, argv: process.argv.slice(2), env: process.env, cwd: process.cwd(), signals: [],
  stdin: readFileSync(0, "utf8"),
  config: JSON.parse(readFileSync(config, "utf8")), mode: statSync(config).mode & 0o777,
};
const write = () => {
  writeFileSync(process.env.TEST_RECORD + ".new", JSON.stringify(record));
  renameSync(process.env.TEST_RECORD + ".new", process.env.TEST_RECORD);
};
const end = process.env.TEST_END;
if (end === "waits") {
  for (const each of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(each, () => {
      record.signals.push(each);
      write();
      if (each === "SIGTERM") process.exit(143);
    });
  }
  setInterval(() => undefined, 60_000);
}
write();
console.log("claude runs");
if (end !== "waits") process.exit(Number(end));
`;

interface Recorded {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly signals: readonly string[];
  readonly stdin: string;
  readonly cwd: string;
  readonly config: { mcpServers: { merkle: { args: string[] } } };
  readonly mode: number;
}

/** A machine with its own Merkle home and its own claude. */
interface Machine {
  readonly merkle: TestMerkle;
  run(args: readonly string[], env?: RunOptions["env"]): Promise<Ended>;
  /** A launch whose claude goes on until it gets SIGTERM. */
  start(args: readonly string[]): Promise<Started>;
  recorded(): Promise<Recorded>;
  env: Record<string, string>;
}

async function testMachine(): Promise<Machine> {
  const merkle = await testMerkle();
  const bin = join(merkle.home, "bin");
  await mkdir(bin);
  await writeFile(join(bin, "claude.cjs"), claudeProgram);
  await writeFile(join(bin, "claude"), claudeScript(join(bin, "claude.cjs")), { mode: 0o755 });
  const record = join(merkle.home, "record.json");
  const env = {
    MERKLE_URL: broker.url,
    PATH: `${bin}:${process.env["PATH"]}`,
    TEST_RECORD: record,
    TEST_END: "0",
  };
  const recorded = async (): Promise<Recorded> => JSON.parse(await readFile(record, "utf8"));
  return {
    merkle,
    env,
    recorded,
    run: (args, more = {}) => merkle.run(args, { env: { ...env, ...more } }),
    async start(args) {
      const started = merkle.start(args, { env: { ...env, TEST_END: "waits" } });
      await started.says("claude runs");
      const { pid } = await recorded();
      onTestFinished(async () => {
        if ((await processBegan(pid)) !== null) process.kill(pid, "SIGKILL");
      });
      return started;
    },
  };
}

/** A session of one test's own, with a slug that is near to no other. */
async function testSession(title = randomUUID().replaceAll("-", "")) {
  return client.call("create_session", { title, creator_team_name: "Convener" });
}

async function teamsOf(session_id: string): Promise<string[]> {
  const { participants } = await client.call("list_participants", { session_id });
  return participants.map((each) => each.team_name);
}

async function slugs(): Promise<string[]> {
  const { sessions } = await client.call("list_sessions", { limit: 200 });
  return sessions.map((each) => each.slug);
}

describe("merkle launch", () => {
  it("[LAUNCH-1] joins, says where it is, and runs claude with Merkle's server and the user's arguments", async () => {
    const { slug, session_id } = await testSession();
    const { merkle, run, recorded } = await testMachine();
    const { code, stdout, stderr } = await run(
      ["launch", "--session", slug, "--team", "Alex's Team", "--", "-p", "say hello", "--", "--json"],
      { TEST_END: "7" },
    );
    expect({ code, stdout }).toEqual({ code: 7, stdout: "claude runs\n" });
    expect(stderr).toBe(
      "✓ Joined as Alex's Team, 1 message so far, document v0\n" +
        "  Teams here can read what this peer posts. merkle adds no permission flags; pass yours after --\n" +
        `  Same again:  merkle launch --session ${slug} --team "Alex's Team" -- -p 'say hello' -- --json\n`,
    );
    expect(await teamsOf(session_id)).toEqual(["Convener", "Alex's Team"]);

    const [held = ""] = await readdir(join(merkle.home, "teams"));
    const teamId = held.replace(".json", "");
    const { argv, env, config, mode } = await recorded();
    expect(argv).toEqual([
      `--mcp-config=${join(merkle.home, "launch", `${teamId}.json`)}`,
      "--allowedTools=mcp__merkle",
      "-p",
      "say hello",
      "--",
      "--json",
    ]);
    expect(env).toMatchObject({
      MERKLE_HOME: merkle.home,
      MERKLE_URL: broker.url,
      MERKLE_SESSION: slug,
      MERKLE_TEAM: "Alex's Team",
    });
    expect(config).toEqual({
      mcpServers: {
        merkle: {
          type: "stdio",
          command: process.execPath,
          args: [await realpath(inject("program")), "mcp", "--as", teamId],
          env: { MERKLE_HOME: merkle.home, MERKLE_URL: broker.url },
          alwaysLoad: true,
        },
      },
    });
    expect(mode).toBe(0o600);
    // Nothing is left but the team, and the credential is nowhere but in its file.
    expect(await readdir(join(merkle.home, "teams"))).toEqual([`${teamId}.json`]);
    expect(await readdir(join(merkle.home, "launch"))).toEqual([]);
    const { credential } = JSON.parse(await readFile(join(merkle.home, "teams", held), "utf8"));
    expect(JSON.stringify({ argv, env, config, stderr })).not.toContain(credential.split(".mk_")[1]);
  });

  it("[LAUNCH-4] takes the same place the next time, by the session's title too", async () => {
    const title = `The title of ${randomUUID()}`;
    const { session_id } = await testSession(title);
    const { run } = await testMachine();
    const args = ["launch", "--session", title, "--team", "Birch"];
    expect(await run(args)).toMatchObject({ code: 0, stderr: expect.stringContaining("✓ Joined as Birch,") });
    expect(await run(args)).toMatchObject({ code: 0, stderr: expect.stringContaining("✓ Back as Birch,") });
    expect(await teamsOf(session_id)).toEqual(["Convener", "Birch"]);
  });

  it("[LAUNCH-6] hides a Claude Code session around it from claude, and leaves the user's own settings", async () => {
    const { slug } = await testSession();
    const { run, recorded } = await testMachine();
    await run(["launch", "--session", slug, "--team", "Birch"], {
      CLAUDECODE: "1",
      CLAUDE_CODE_SESSION_ID: "outer",
      CLAUDE_CODE_MESSAGING_SOCKET: "/tmp/outer",
      CLAUDE_CONFIG_DIR: "/tmp/mine",
      ANTHROPIC_BASE_URL: "http://localhost:1",
    });
    const { env } = await recorded();
    expect(Object.keys(env).filter((name) => name.startsWith("CLAUDE"))).toEqual(["CLAUDE_CONFIG_DIR"]);
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: "http://localhost:1" });
  });

  it("[LAUNCH-1] gives claude its own input and folder", async () => {
    const { slug } = await testSession();
    const { merkle, env, recorded } = await testMachine();
    const args = ["launch", "--session", slug, "--team", "Birch", "--claude-bin", "./claude", "--", "-p"];
    const cwd = join(merkle.home, "bin");
    expect(await merkle.run(args, { env, cwd, input: "read this\n" })).toMatchObject({ code: 0 });
    expect(await recorded()).toMatchObject({ stdin: "read this\n", cwd });
  });

  it("[LAUNCH-2] makes a session that is not there, once, when several machines launch at the same moment", async () => {
    const name = `Race ${randomUUID().replaceAll("-", "")}`;
    const machines = await Promise.all([testMachine(), testMachine(), testMachine()]);
    const ended = await Promise.all(
      machines.map(({ run }, index) => run(["launch", "--session", name, "--team", `Team ${index}`])),
    );
    expect(
      ended.map(({ code }) => code),
      ended.map(({ stderr }) => stderr).join(""),
    ).toEqual([0, 0, 0]);
    const slug = name.toLowerCase().replace(" ", "-");
    expect(ended.filter(({ stderr }) => stderr.includes(`✓ Made session ${slug}`))).toHaveLength(1);
    const { session_id, title } = await client.call("get_session", { session_id: slug });
    expect(title).toBe(name);
    expect((await teamsOf(session_id)).sort()).toEqual(["Team 0", "Team 1", "Team 2"]);
    expect((await slugs()).filter((each) => each.startsWith(slug))).toEqual([slug]);
  });

  it("[LAUNCH-2] refuses a name that is nearly a session's where nobody can be asked, exit 5, and makes nothing", async () => {
    const { slug, session_id } = await testSession();
    const near = `${slug.slice(0, -1)}x`;
    const { run, merkle } = await testMachine();
    for (const more of [["-y"], ["--dry-run"]]) {
      const { code, stdout, stderr } = await run(["launch", "--session", near, "--team", "Birch", ...more]);
      expect({ code, stdout }).toEqual({ code: 5, stdout: "" });
      expect(stderr).toContain(`✗ There is no session "${near}". Did you mean ${slug}, "${slug}"?`);
    }
    expect(await slugs()).not.toContain(near);
    expect(await teamsOf(session_id)).toEqual(["Convener"]);
    expect(existsSync(join(merkle.home, "teams"))).toBe(false);
  });

  it("[LAUNCH-2] takes another number, and a name beside a concluded session, for a new one", async () => {
    const letters = randomUUID()
      .replace(/[^a-f]/g, "x")
      .slice(0, 20);
    await testSession(`${letters}-12`);
    const { run } = await testMachine();
    const next = await run(["launch", "--session", `${letters}-13`, "--team", "Birch"]);
    expect(next).toMatchObject({ code: 0, stderr: expect.stringContaining(`✓ Made session ${letters}-13`) });

    const done = await testSession();
    await client.call("conclude_session", {
      session_id: done.session_id,
      team_id: done.team_id,
      summary_section: "Done.",
    });
    const beside = await run(["launch", "--session", `${done.slug}b`, "--team", "Birch"]);
    expect(beside).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`✓ Made session ${done.slug}b`),
    });
    expect(await run(["launch", "--session", done.slug, "--team", "Birch"])).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/is concluded; it can be read, not joined\.\n {4}try: merkle doc show/),
    });
    expect(await run(["launch", "--session", randomUUID(), "--team", "Birch"])).toMatchObject({ code: 5 });
  });

  it("[LAUNCH-3] names what is missing, exit 2, and takes it from the environment", async () => {
    const { slug } = await testSession();
    const { run } = await testMachine();
    for (const [args, problem] of [
      [[], "merkle launch needs --session <slug, id or title> and --team <name>."],
      [["--session", slug], "merkle launch needs --team <name>."],
      [["--team", "Birch"], "merkle launch needs --session <slug, id or title>."],
      [["--session", slug, "--team", "Birch", "-p", "hi"], "Unknown option '-p'."],
      [["--session", slug, "--team", "Birch", "hi"], 'merkle launch does not know what to do with "hi".'],
    ] as const) {
      expect(await run(["launch", ...args])).toMatchObject({
        code: 2,
        stdout: "",
        stderr: expect.stringContaining(`✗ ${problem}`),
      });
    }
    const env = { MERKLE_SESSION: slug, MERKLE_TEAM: "Birch" };
    expect(await run(["launch", "--", "-p", "hi"], env)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Joined as Birch,"),
    });
  });

  it("[LAUNCH-3] says how to get a claude that is missing or cannot run, exit 1, before anybody joins", async () => {
    const { run, merkle } = await testMachine();
    const slug = randomUUID().replaceAll("-", "");
    const args = ["launch", "--session", slug, "--team", "Birch"];
    expect(await run(args, { PATH: dirname(process.execPath) })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^✗ Claude Code was not found.*\n {4}try: npm install -g .*merkle doctor\n$/,
      ),
    });
    expect(await run([...args, "--claude-bin", "./nowhere/claude"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('✗ There is no program at "./nowhere/claude".'),
    });
    await writeFile(join(merkle.home, "broken"), "#!/bin/sh\necho no such library >&2\nexit 3\n", {
      mode: 0o755,
    });
    expect(await run([...args, "--claude-bin", "./broken"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is there but cannot run: no such library."),
    });
    expect(await slugs()).not.toContain(slug);
    expect(await run([...args, "--claude-bin", join(merkle.home, "bin/claude")])).toMatchObject({ code: 0 });
  });

  it("[LAUNCH-8] --dry-run shows a line that a shell runs as the launch would, and changes nothing", async () => {
    const { slug, session_id } = await testSession();
    const { run, merkle, env, recorded } = await testMachine();
    const names = ["--session", slug, "--team", "Alex's `Team`"];
    const first = await run(["launch", ...names, "--dry-run", "--", "-p", 'it\'s "$HOME"']);
    expect(first).toMatchObject({
      code: 0,
      stderr: `would join ${slug} as Alex's \`Team\`, a new team, and run:\n`,
    });
    expect(await teamsOf(session_id)).toEqual(["Convener"]);
    for (const folder of ["teams", "launch"]) expect(existsSync(join(merkle.home, folder))).toBe(false);

    const another = randomUUID().replaceAll("-", "");
    const other = await run(["launch", "--session", another, "--team", "Birch", "--dry-run", "--json"]);
    expect(JSON.parse(other.stdout)).toMatchObject({
      session: another,
      creates_session: true,
      team: "Birch",
    });
    expect(await slugs()).not.toContain(another);

    await run(["launch", ...names, "--", "-p", 'it\'s "$HOME"']);
    const launched = await recorded();
    const { stdout } = await run(["launch", ...names, "--dry-run", "--", "-p", 'it\'s "$HOME"']);
    const [line = "", , path = "", ...config] = stdout.split("\n");
    expect(JSON.parse(config.join("\n"))).toEqual(launched.config);
    await writeFile(path.replace(/:$/, ""), config.join("\n"));
    await promisify(execFile)("sh", ["-c", `${line} </dev/null`], {
      env: { ...env, HOME: "/elsewhere" },
      cwd: merkle.home,
    });
    expect((await recorded()).argv).toEqual(launched.argv);
    expect((await recorded()).env["MERKLE_TEAM"]).toBe("Alex's `Team`");
  });

  it("[LAUNCH-7] passes signals on, ends when claude does, and tells a signal by 128 and its number", async () => {
    const { slug } = await testSession();
    const { start, recorded, merkle } = await testMachine();
    const args = ["launch", "--session", slug, "--team", "Birch"];
    const first = await start(args);
    first.process.kill("SIGHUP");
    await expect.poll(async () => (await recorded()).signals).toEqual(["SIGHUP"]);
    first.process.kill("SIGTERM");
    expect(await first.ended).toMatchObject({ code: 143 });
    expect((await recorded()).signals).toEqual(["SIGHUP", "SIGTERM"]);

    const second = await start(args);
    process.kill((await recorded()).pid, "SIGKILL");
    expect(await second.ended).toMatchObject({ code: 137 });
    expect(await readdir(join(merkle.home, "launch"))).toEqual([]);
    expect(await readdir(join(merkle.home, "teams"))).toHaveLength(1);
  });

  it("[LAUNCH-5] gives a second launch a place of its own, as long as claude runs, even without its launch", async () => {
    const { slug } = await testSession();
    const { start, run, recorded } = await testMachine();
    const args = ["launch", "--session", slug, "--team", "Birch"];
    const first = await start(args);
    const { pid } = await recorded();
    expect(await run(args)).toMatchObject({ stderr: expect.stringContaining("Joined as Birch (2),") });
    first.process.kill("SIGKILL");
    await once(first.process, "exit");
    expect(await run(args)).toMatchObject({ stderr: expect.stringContaining("Back as Birch (2),") });
    process.kill(pid, "SIGKILL");
    await expect.poll(async () => (await run(args)).stderr).toContain("Back as Birch,");
  });
});
