import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { lookForSecrets } from "../../../../tests/kit/canary.js";
import { createCleanup } from "../../../../tests/kit/cleanup.js";
import { startTestBroker, type TestBroker } from "../../../../tests/kit/test-broker.js";
import { type BrokerClient, createBrokerClient } from "../broker/broker-client.js";
import { readProcessStart } from "../core/process-table.js";
import { listStoredPeers, type StoredPeer, saveStoredPeer } from "../home/stored-peers.js";
import { installTestClaude } from "../test-kit/claude.js";
import {
  type CommandResult,
  type RunOptions,
  type StartedCommand,
  type TestMerkle,
  testMerkle,
} from "../test-kit/merkle.js";
import { startAtTerminal } from "../test-kit/terminal.js";

let broker: TestBroker;
let client: BrokerClient;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  client = createBrokerClient({ base: broker.url, source: "default" }, new AbortController().signal);
});

interface ClaudeRecord {
  readonly pid: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly signals: readonly string[];
  readonly stdin: string;
  readonly cwd: string;
  readonly config: { mcpServers: { merkle: { args: string[]; env: Record<string, string> } } };
  readonly settings: { hooks: Record<string, unknown[]> } & Record<string, unknown>;
  readonly modes: readonly number[];
}

/** A machine with a separate Merkle home and a fake `claude` program. */
interface Machine {
  readonly merkle: TestMerkle;
  run(args: readonly string[], env?: RunOptions["env"]): Promise<CommandResult>;
  /** Starts a launch whose `claude` program runs until it receives SIGTERM. */
  start(args: readonly string[], end?: "waits" | "serves"): Promise<StartedCommand>;
  recorded(): Promise<ClaudeRecord>;
  env: Record<string, string>;
}

async function testMachine(): Promise<Machine> {
  const merkle = await testMerkle();
  const bin = await installTestClaude(merkle.home);
  const record = join(merkle.home, "record.json");
  const env = {
    MERKLE_URL: broker.url,
    PATH: `${bin}:${process.env["PATH"]}`,
    TEST_RECORD: record,
    TEST_END: "0",
  };
  const recorded = async (): Promise<ClaudeRecord> => JSON.parse(await readFile(record, "utf8"));
  return {
    merkle,
    env,
    recorded,
    run: (args, more = {}) => merkle.run(args, { env: { ...env, ...more } }),
    async start(args, end = "waits") {
      const started = merkle.start(args, { env: { ...env, TEST_END: end } });
      await started.waitForOutput("claude runs");
      const { pid } = await recorded();
      onTestFinished(async () => {
        if ((await readProcessStart(pid)) !== null) process.kill(pid, "SIGKILL");
      });
      return started;
    },
  };
}

/** Returns the machine's stored peer with that name. */
async function getStoredPeer({ home }: TestMerkle, name: string): Promise<StoredPeer> {
  const { mesh_id: meshId } = await client.call("get_app_info", {});
  const peer = (await listStoredPeers(home, meshId)).find((each) => each.peer_name === name);
  if (!peer) throw new Error(`No peer ${name} is held.`);
  return peer;
}

/** Creates a session for one test. Its random title is not similar to any other session's title. */
async function testSession(title = randomUUID().replaceAll("-", "")) {
  return client.call("create_session", { title, creator_team_name: "Convener" });
}

async function listTeams(session_id: string): Promise<string[]> {
  const { participants } = await client.call("list_participants", { session_id });
  return participants.map((each) => each.team_name);
}

async function listSlugs(): Promise<string[]> {
  const { sessions } = await client.call("list_sessions", { limit: 200 });
  return sessions.map((each) => each.slug);
}

describe("merkle launch", () => {
  it("[LAUNCH-3] with -y and no session joins the one named for the folder's repository, and says so; @all is no group", async () => {
    const { merkle, env } = await testMachine();
    const name = `repo${randomUUID().replaceAll("-", "")}`.slice(0, 40);
    const folder = join(merkle.home, name);
    await mkdir(folder);
    await promisify(execFile)("git", ["init", "-q", folder]);
    const args = [
      "launch",
      "--name",
      "Alice",
      "--role",
      "dev",
      "--groups",
      "frontend:lead,reviewers,all",
      "-y",
    ];
    const { code, stderr } = await merkle.run(args, { env, cwd: folder });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain(`Session ${name} (this repository's name)`);
    const { peers } = await client.call("list_peers", { session_id: name });
    expect(peers.find((peer) => peer.name === "Alice")).toMatchObject({
      role: "dev",
      groups: [
        { name: "frontend", role: "lead" },
        { name: "reviewers", role: null },
      ],
    });
    const refused = ["launch", "--session", `${name}-x`, "--team", "Elm", "--groups", "humans", "-y"];
    expect(await merkle.run(refused, { env })).toMatchObject({ code: 2 });
    expect(await listSlugs()).not.toContain(`${name}-x`);
  });

  it("[LAUNCH-3] with -y outside a repository takes the session launched last from there, else one named after the folder", async () => {
    const { merkle, run, env } = await testMachine();
    const folder = join(merkle.home, `plain ${randomUUID().slice(0, 8)}`);
    await mkdir(folder);
    const slug = basename(folder).replace(" ", "-");
    const who = ["--name", "Alice", "--role", "dev", "--groups", "frontend:lead,reviewers"];
    const first = await merkle.run(["launch", ...who, "-y"], { env, cwd: folder });
    expect(first).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${basename(folder)} (this folder's name), team`),
    });
    const { peers } = await client.call("list_peers", { session_id: slug });
    expect(peers.map(({ name, role }) => [name, role])).toContainEqual(["Alice", "dev"]);

    const { slug: other, session_id, team_id } = await testSession();
    await run(["launch", "--cwd", folder, "--session", other, "--team", "Birch", "--name", "elm", "-y"]);
    expect(await merkle.run(["launch", "-y"], { env, cwd: folder })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        `${other} \\(from the last launch in this folder\\), team Birch[^]*Back as elm`,
      ),
    });
    await client.call("conclude_session", { session_id, team_id, summary_section: "Done." });
    expect(await merkle.run(["launch", "-y"], { env, cwd: folder })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(`${slug} \\(from the last launch in this folder\\)[^]*Back as Alice`),
    });
  });

  it("[LAUNCH-19] --wake chooses what nudges the agent, the next launch repeats it, and without the flag it stays", async () => {
    const { run } = await testMachine();
    const { slug } = await testSession();
    const who = ["launch", "--session", slug, "--team", "Birch", "--name", "elm", "-y"];
    const wakeOf = async () => {
      const { peers } = await client.call("list_peers", { session_id: slug });
      return peers.find(({ name }) => name === "elm")?.wake;
    };
    const { code, stderr } = await run([...who, "--wake", "addressed"]);
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(" --wake addressed -y"),
    });
    expect(await wakeOf()).toBe("addressed");
    await run(who);
    expect(await wakeOf()).toBe("addressed");
    expect(await run([...who, "--wake", "nothing"])).toMatchObject({ code: 2 });
    await run([...who, "--wake", "everything"]);
    expect(await wakeOf()).toBe("everything");
  });

  it("[LAUNCH-4] without a name takes the peer that last ran in this folder, and none of another worktree", async () => {
    const { merkle, run } = await testMachine();
    const { slug } = await testSession();
    const folders = ["one", "two"].map((name) => join(merkle.home, name));
    for (const folder of folders) await mkdir(folder);
    const [one = "", two = ""] = folders;
    const launch = (folder: string, ...args: string[]) =>
      run(["launch", "--session", slug, "--team", "Birch", "--cwd", folder, ...args]);
    const waitForEnd = async (ended: Promise<CommandResult>) =>
      / as (\S+) \(Birch\)/.exec((await ended).stderr)?.[1];
    expect(await waitForEnd(launch(one))).toBe("claude");
    expect(await waitForEnd(launch(two))).toBe("claude-2");
    expect(await waitForEnd(launch(two, "--name", "elm"))).toBe("elm");
    expect(await waitForEnd(launch(one))).toBe("claude");
    expect(await waitForEnd(launch(two))).toBe("elm");
    // A peer whose folder was deleted must not be reused.
    await rm(two, { recursive: true });
    await rm(one, { recursive: true });
    expect(await waitForEnd(launch(merkle.home))).toBe("claude");
  });

  it("[LAUNCH-17] --cwd has the agent work in another folder, whose project settings hold", async () => {
    const { slug } = await testSession();
    const { merkle, run, recorded } = await testMachine();
    const folder = join(merkle.home, "project");
    await mkdir(folder);
    const at = ["launch", "--session", slug, "--team", "Birch", "--cwd", "project"];
    expect(await run(at)).toMatchObject({ code: 0 });
    expect((await recorded()).cwd).toBe(await realpath(folder));
    await writeFile(join(folder, ".merkle.json"), JSON.stringify({ mcp_url: "http://localhost:9" }));
    expect(await run(at, { MERKLE_URL: "" })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(".merkle.json"),
    });
    expect(await run([...at.slice(0, -1), "nowhere"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--cwd must name a folder, got "nowhere".'),
    });
  });

  it("[CLI-140] what a launch says for the next one names the mesh, however it was chosen", async () => {
    // This test uses a separate broker, because a launch at a terminal asks for a mesh if the broker has two.
    const { url } = await startTestBroker();
    await createBrokerClient({ base: url, source: "default" }, new AbortController().signal).call(
      "create_mesh",
      { name: "archive" },
    );
    const machine = await testMachine();
    const run = (args: readonly string[], env = {}) => machine.run(args, { MERKLE_URL: url, ...env });
    const at = ["launch", "--session", "auth-refactor", "--team", "Birch", "-y"];
    for (const { stderr } of [
      await run([...at, "--mesh", "archive"]),
      await run(at, { MERKLE_MESH: "archive" }),
    ])
      expect(stderr).toMatch(/Same again: +merkle .*--mesh archive /);
    expect((await run(at)).stderr).not.toContain("--mesh");
  });

  it("[LAUNCH-1] [LAUNCH-13] joins, says where it is, and runs claude with Merkle's server and the user's arguments", async () => {
    const title = randomUUID().replaceAll("-", "");
    const { slug, session_id } = await testSession(title);
    const { merkle, run, recorded } = await testMachine();
    const { code, stdout, stderr } = await run(
      ["launch", "--session", slug, "--team", "Alex's Team", "--", "-p", "say hello", "--", "--json"],
      { TEST_END: "7" },
    );
    expect({ code, stdout }).toEqual({ code: 7, stdout: "claude runs\n" });
    expect(stderr).toBe(
      "  Teams here can read what this peer posts. merkle adds no permission flags; pass yours after --\n" +
        `  Runs   claude -p 'say hello' -- --json   as claude in "${title}"\n` +
        "✓ Joined as claude (Alex's Team), 1 message so far, no document yet\n" +
        `  Same again:  merkle launch --session ${slug} --team "Alex's Team" --name claude -y -- -p 'say hello' -- --json\n`,
    );
    expect(await listTeams(session_id)).toEqual(["Convener", "Alex's Team"]);

    const held = await getStoredPeer(merkle, "claude");
    const storedPeerId = held.peer_id ?? "";
    const { argv, env, config, settings, modes } = await recorded();
    lookForSecrets("the arguments of claude", JSON.stringify(argv));
    expect(argv).toEqual([
      `--mcp-config=${join(merkle.home, "launch", `${storedPeerId}.json`)}`,
      `--settings=${join(merkle.home, "launch", `${storedPeerId}.settings.json`)}`,
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
      MERKLE_PEER: storedPeerId,
    });
    expect(config).toEqual({
      mcpServers: {
        merkle: {
          type: "stdio",
          command: process.execPath,
          args: [await realpath(inject("program")), "mcp", "--as", storedPeerId],
          env: { MERKLE_HOME: merkle.home, MERKLE_URL: broker.url },
        },
      },
    });
    expect(modes).toEqual([0o600, 0o600]);
    // Only the files of the peer and its team remain, and no other file contains a secret.
    expect((await readdir(join(merkle.home, "teams"))).sort()).toEqual(
      [`${storedPeerId}.json`, `${held.team_id}.json`].sort(),
    );
    expect(await readdir(join(merkle.home, "launch"))).toEqual([]);
    const printed = JSON.stringify({ argv, env, config, settings, stderr });
    expect(printed).not.toContain(held.credential.split(".mk_")[1]);
    expect(printed).not.toContain(held.session_key?.private);
    const { peers } = await client.call("list_peers", { session_id });
    expect(peers.find((each) => each.name === "claude")).toMatchObject({
      team: "Alex's Team",
      cwd: merkle.home,
      machine: hostname(),
      session_key: held.session_key?.public,
    });
  });

  it("[LAUNCH-14] gives claude hooks, and the user's own settings beside them", async () => {
    const { slug } = await testSession();
    const { merkle, run, recorded } = await testMachine();
    const own = {
      model: "opus",
      hooks: { Stop: [{ hooks: [{ type: "command", command: "say done" }] }], SessionEnd: [] },
    };
    await writeFile(join(merkle.home, "own.json"), JSON.stringify(own));
    const args = [
      "launch",
      "--session",
      slug,
      "--team",
      "Birch",
      "--model",
      "haiku",
      "--channel",
      "--interruptible",
    ];
    expect(await run([...args, "--", "--settings", "own.json", "-p", "hi"])).toMatchObject({ code: 0 });
    const { settings, argv, config } = await recorded();
    expect(settings).toMatchObject({ model: "opus", hooks: { SessionEnd: [] } });
    const call = (event: string) => ({
      hooks: [
        {
          type: "mcp_tool",
          server: "merkle",
          tool: "hook",
          input: {
            event,
            session_id: "$" + "{session_id}",
            prompt_id: "$" + "{prompt_id}",
            agent_id: "$" + "{agent_id}",
            tool_use_id: "$" + "{tool_use_id}",
          },
        },
      ],
    });
    const program = await realpath(inject("program"));
    const command = expect.stringContaining(`|| ${process.execPath} ${program} hook mail`);
    const mail = { hooks: [{ type: "command", command }] };
    expect(settings.hooks).toMatchObject({
      Stop: [own.hooks.Stop[0], call("Stop"), mail],
      UserPromptSubmit: [call("UserPromptSubmit"), mail],
      PreToolUse: [
        { matcher: "mcp__merkle__.*", ...call("PreToolUse") },
        { matcher: "Edit|MultiEdit|Write|NotebookEdit", ...call("PreToolUse") },
      ],
      PostToolBatch: [call("PostToolBatch"), mail],
      StopFailure: [call("StopFailure")],
    });
    expect(settings.hooks["SessionStart"]).toEqual([
      { hooks: [{ type: "command", command: `${process.execPath} ${program} hook session-start` }] },
    ]);
    expect(argv.slice(3)).toEqual([
      "--model=haiku",
      "--dangerously-load-development-channels=server:merkle",
      "-p",
      "hi",
    ]);
    expect(config.mcpServers.merkle.args.slice(-2)).toEqual(["--channel", "--interruptible"]);
    // `list_peers` shows the model.
    expect(config.mcpServers.merkle.env).toMatchObject({ MERKLE_MODEL: "haiku" });
  });

  it("[LAUNCH-16] says how an older claude is woken, and gives it the hooks alone that it has", async () => {
    const { slug } = await testSession();
    const { run, recorded } = await testMachine();
    const args = ["launch", "--session", slug, "--team", "Birch"];
    const old = await run(args, { TEST_VERSION: "2.1.300" });
    expect(old.stderr).toContain(
      "! Claude Code 2.1.300 can be woken only through its inbox and a wait; hooks need 2.1.330\n",
    );
    expect(Object.keys((await recorded()).settings.hooks)).toEqual(["SessionStart"]);
  });

  it("[LAUNCH-4] resumes the same peer the next time, by the session's title too", {
    tags: "long",
  }, async () => {
    const title = `The title of ${randomUUID()}`;
    const { session_id } = await testSession(title);
    const { run } = await testMachine();
    const args = ["launch", "--session", title, "--team", "Birch"];
    expect(await run(args)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("✓ Joined as claude (Birch),"),
    });
    expect(await run(args)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("✓ Back as claude (Birch),"),
    });
    expect(await listTeams(session_id)).toEqual(["Convener", "Birch"]);
  });

  it("[LAUNCH-6] hides a Claude Code session around it from claude, and leaves the user's own settings", async () => {
    const { slug } = await testSession();
    const { run, recorded } = await testMachine();
    await run(["launch", "--session", slug, "--team", "Birch"], {
      CLAUDECODE: "1",
      CLAUDE_CODE_SESSION_ID: "outer",
      CLAUDE_CODE_MESSAGING_SOCKET: "/tmp/outer",
      CLAUDE_CODE_MESSAGING_TOKEN: "outer",
      CLAUDE_CODE_CHILD_SESSION: "1",
      CLAUDE_CODE_ENTRYPOINT: "cli",
      CLAUDE_CODE_SESSION_ATTENDED: "1",
      CLAUDE_PID: "1",
      CLAUDE_PROJECT_DIR: "/tmp",
      CLAUDE_ENV_FILE: "/tmp/env",
      CLAUDE_PLUGIN_ROOT: "/tmp",
      CLAUDE_PLUGIN_DATA: "/tmp",
      AI_AGENT: "outer",
      MERKLE_PEER: randomUUID(),
      CLAUDE_CONFIG_DIR: "/tmp/mine",
      ANTHROPIC_BASE_URL: "http://localhost:1",
    });
    const { env } = await recorded();
    expect(Object.keys(env).filter((name) => name.startsWith("CLAUDE"))).toEqual(["CLAUDE_CONFIG_DIR"]);
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: "http://localhost:1", MERKLE_SESSION: slug });
    expect(env).not.toHaveProperty("AI_AGENT");
  });

  it("[LAUNCH-1] gives claude its own input and folder", async () => {
    const { slug } = await testSession();
    const { merkle, env, recorded } = await testMachine();
    const args = ["launch", "--session", slug, "--team", "Birch", "--claude-bin", "./claude", "--", "-p"];
    const cwd = join(merkle.home, "bin");
    expect(await merkle.run(args, { env, cwd, input: "read this\n" })).toMatchObject({ code: 0 });
    expect(await recorded()).toMatchObject({ stdin: "read this\n", cwd });
  });

  it("[LAUNCH-2] makes a session that is not there, once, when several machines launch at the same moment", {
    tags: "long",
  }, async () => {
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
    expect(ended.filter(({ stderr }) => stderr.includes(`✓ Created session ${slug}`))).toHaveLength(1);
    const { session_id, title } = await client.call("get_session", { session_id: slug });
    expect(title).toBe(name);
    expect((await listTeams(session_id)).sort()).toEqual(["Team 0", "Team 1", "Team 2"]);
    expect((await listSlugs()).filter((each) => each.startsWith(slug))).toEqual([slug]);
  });

  it("[LAUNCH-18] says who can conclude a session that it creates, and leaves one that exists as it is", async () => {
    const name = `kept-${randomUUID()}`;
    const { run } = await testMachine();
    const start = (...more: string[]) =>
      run(["launch", "--session", name, "--team", "Birch", "--conclude-by", ...more]);
    expect(await start("nobody")).toMatchObject({ code: 2, stderr: expect.stringContaining("convener") });
    expect(await start("convener")).toMatchObject({ code: 0 });
    const settings = async () => (await client.call("get_session", { session_id: name })).settings;
    expect(await settings()).toMatchObject({ conclude_by: "convener" });
    const again = await start("anyone");
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("--conclude-by applies to new") });
    expect(await settings()).toMatchObject({ conclude_by: "convener" });
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
    expect(await listSlugs()).not.toContain(near);
    expect(await listTeams(session_id)).toEqual(["Convener"]);
    expect(existsSync(join(merkle.home, "teams"))).toBe(false);
  });

  it("[LAUNCH-2] takes another number, and a name beside a concluded session, for a new one", {
    tags: "long",
  }, async () => {
    const letters = randomUUID()
      .replace(/[^a-f]/g, "x")
      .slice(0, 20);
    await testSession(`${letters}-12`);
    const { run } = await testMachine();
    const next = await run(["launch", "--session", `${letters}-13`, "--team", "Birch"]);
    expect(next).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`✓ Created session ${letters}-13`),
    });

    const done = await testSession();
    await client.call("conclude_session", {
      session_id: done.session_id,
      team_id: done.team_id,
      summary_section: "Done.",
    });
    const beside = await run(["launch", "--session", `${done.slug}b`, "--team", "Birch"]);
    expect(beside).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`✓ Created session ${done.slug}b`),
    });
    expect(await run(["launch", "--session", done.slug, "--team", "Birch"])).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(
        /is concluded: you can read it, but not join it\.\n {4}try: merkle doc show/,
      ),
    });
    expect(await run(["launch", "--session", randomUUID(), "--team", "Birch"])).toMatchObject({ code: 5 });
  });

  it("[LAUNCH-3] names what is missing, exit 2, and takes it from the environment", {
    tags: "long",
  }, async () => {
    const { slug } = await testSession();
    const { run } = await testMachine();
    for (const [args, problem] of [
      [[], "merkle launch needs --session <slug, id or title> (or --new <title>) and --team <name>."],
      [["--session", slug], "merkle launch needs --team <name>."],
      [["--team", "Birch"], "merkle launch needs --session <slug, id or title> (or --new <title>)."],
      [["--session", slug, "--team", "Birch", "-p", "hi"], "Unknown option '-p'."],
      [["--session", slug, "--team", "Birch", "hi"], 'merkle launch got unexpected arguments: "hi".'],
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
      stderr: expect.stringContaining("Joined as claude (Birch),"),
    });
  });

  it("[LAUNCH-3] a group that nobody can join is refused before a session is made, or anybody joins", {
    tags: "long",
  }, async () => {
    const { run } = await testMachine();
    const title = `Never made ${randomUUID()}`;
    for (const session of [
      ["--session", title],
      ["--new", title],
    ]) {
      const refused = await run([
        "launch",
        ...session,
        "--team",
        "Birch",
        "--groups",
        "backend,@Humans:lead",
        "-y",
      ]);
      expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("--groups") });
    }
    expect((await run(["ls", "--json"])).stdout).not.toContain(title);
  });

  it("[LAUNCH-3] says how to get a claude that is missing or cannot run, exit 1, before anybody joins", {
    tags: "long",
  }, async () => {
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
      stderr: expect.stringContaining("exists but cannot run: no such library."),
    });
    expect(await listSlugs()).not.toContain(slug);
    expect(await run([...args, "--claude-bin", join(merkle.home, "bin/claude")])).toMatchObject({ code: 0 });
  });

  it("[LAUNCH-8] --dry-run shows a line that a shell runs as the launch would, and changes nothing", async () => {
    const { slug, session_id } = await testSession();
    const { run, merkle, env, recorded } = await testMachine();
    const names = ["--session", slug, "--team", "Alex's `Team`"];
    const first = await run(["launch", ...names, "--dry-run", "--", "-p", 'it\'s "$HOME"']);
    expect(first).toMatchObject({
      code: 0,
      stderr: `would join ${slug} as claude (Alex's \`Team\`), in a new team, and run:\n`,
    });
    expect(await listTeams(session_id)).toEqual(["Convener"]);
    for (const folder of ["teams", "launch"]) expect(existsSync(join(merkle.home, folder))).toBe(false);

    const another = randomUUID().replaceAll("-", "");
    const other = await run(["launch", "--session", another, "--team", "Birch", "--dry-run", "--json"]);
    expect(JSON.parse(other.stdout)).toMatchObject({
      session: another,
      creates_session: true,
      team: "Birch",
    });
    expect(await listSlugs()).not.toContain(another);

    await run(["launch", ...names, "--", "-p", 'it\'s "$HOME"']);
    const launched = await recorded();
    const { stdout } = await run(["launch", ...names, "--dry-run", "--", "-p", 'it\'s "$HOME"']);
    expect(stdout).not.toContain("mk_");
    const [line = "", ...files] = stdout.trimEnd().split("\n\n");
    for (const file of files) {
      const [path = "", ...content] = file.split(":\n");
      await writeFile(path, content.join(":\n"));
    }
    await promisify(execFile)("sh", ["-c", `${line} </dev/null`], {
      env: { ...env, HOME: "/elsewhere" },
      cwd: merkle.home,
    });
    const { argv, config, settings, env: given } = await recorded();
    expect({ argv, config, settings }).toEqual({
      argv: launched.argv,
      config: launched.config,
      settings: launched.settings,
    });
    expect(given["MERKLE_TEAM"]).toBe("Alex's `Team`");
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
    expect(await readdir(join(merkle.home, "teams"))).toHaveLength(2);
  });

  it("[LAUNCH-5] gives a second launch a peer of its own, as long as claude runs, even without its launch", {
    tags: "long",
  }, async () => {
    const { slug } = await testSession();
    const { start, run, recorded } = await testMachine();
    const args = ["launch", "--session", slug, "--team", "Birch"];
    const first = await start(args);
    const { pid } = await recorded();
    expect(await run(args)).toMatchObject({ stderr: expect.stringContaining("Joined as claude-2 (Birch),") });
    first.process.kill("SIGKILL");
    await once(first.process, "exit");
    expect(await run(args)).toMatchObject({ stderr: expect.stringContaining("Back as claude-2 (Birch),") });
    process.kill(pid, "SIGKILL");
    const again = () => run([...args, "--name", "claude"]);
    await expect.poll(async () => (await again()).stderr).toContain("Back as claude (Birch),");
  });
});

describe("a launch that ends", () => {
  it("[LAUNCH-15] leaves its peer disconnected at once, and no file or hold behind", async () => {
    const { slug, session_id } = await testSession();
    const { merkle, start } = await testMachine();
    const started = await start(
      ["launch", "--session", slug, "--team", "Birch", "--name", "atlas"],
      "serves",
    );
    const atlas = async () => {
      const { peers } = await client.call("list_peers", { session_id });
      const found = peers.find((each) => each.name === "atlas");
      return (
        found && { status: found.status, connected: found.connected, version: found.capabilities?.version }
      );
    };
    await expect.poll(atlas).toMatchObject({ connected: true, version: "2.1.330" });
    started.process.kill("SIGTERM");
    expect(await started.ended).toMatchObject({ code: 143 });
    await expect.poll(atlas).toMatchObject({ status: "disconnected", connected: false });
    expect(await readdir(join(merkle.home, "launch"))).toEqual([]);
    expect((await readdir(join(merkle.home, "teams"))).filter((name) => !name.endsWith(".json"))).toEqual([]);
  });
});

const open = { MERKLE_TEAM: "", MERKLE_SESSION: "" };

describe("merkle launch at a terminal", { tags: "terminal" }, () => {
  /** Creates a machine whose launches run at a terminal. */
  async function testTerminal() {
    const machine = await testMachine();
    const launch = (args: readonly string[] = []) =>
      startAtTerminal(machine.merkle, ["launch", ...args], { ...machine.env, ...open });
    return { ...machine, launch };
  }

  it("[LAUNCH-10] asks for everything, joins as what was answered, and offers it the next time", async () => {
    await testSession();
    const title = `Asked ${randomUUID().replaceAll("-", "")}`;
    const slug = title.toLowerCase().replace(" ", "-").slice(0, 48);
    const { merkle, launch } = await testTerminal();
    const first = launch();
    await first.waitForScreen("❯ ");
    first.type(title);
    await first.waitForScreen("❯ + New session…");
    first.type("\r");
    // The search text that found no session becomes the default title.
    await first.waitForScreen(`Title of the new session`);
    first.type("\r");
    for (const [question, keys] of [
      ["'s Team)", "Alex's Team\r"],
      ["Peer name", "atlas\r"],
      ["Role", "lead\r"],
      ["Groups", "backend:lead, reviewers\r"],
    ] as const) {
      await first.waitForScreen(question);
      first.type(keys);
    }
    await first.waitForScreen("Runs   claude   as atlas in");
    await first.waitForScreen("Start?");
    first.type("\r");
    const { code, screen } = await first.ended;
    expect(code, screen).toBe(0);
    expect(screen).toContain("Joined as atlas (Alex's Team), 0 messages so far");
    expect(screen.replaceAll("\r\n", "\n")).toContain(
      `merkle launch --session ${slug} --team "Alex's Team" --name atlas --role lead --groups backend:lead,reviewers -y`,
    );
    const { peers } = await client.call("list_peers", { session_id: slug });
    expect(peers.find((each) => each.name === "atlas")).toMatchObject({
      role: "lead",
      groups: [{ name: "backend", role: "lead" }, { name: "reviewers" }],
    });
    const answers = join(merkle.home, "launch", "answers.json");
    expect((await stat(answers)).mode & 0o777).toBe(0o600);

    // The last answers are the defaults, and Enter accepts them.
    const second = launch();
    for (const shown of [
      `❯ ${title}   1 team`,
      "(Alex's Team)",
      "atlas",
      "lead",
      "backend:lead, reviewers",
      "Start?",
    ]) {
      await second.waitForScreen(shown);
      second.type("\r");
    }
    const again = await second.ended;
    expect(again.code, again.screen).toBe(0);
    expect(again.screen).toContain("Back as atlas (Alex's Team)");
  });

  it("[LAUNCH-10] asks for what is missing alone, and makes the session that is wanted", async () => {
    const title = randomUUID().replaceAll("-", "");
    await testSession(title);
    const { launch } = await testTerminal();
    const given = launch(["--new", title, "--team", "Birch", "--role", "lead", "--groups", "a"]);
    await given.waitForScreen("Peer name");
    given.type("\r");
    await given.waitForScreen("Start?");
    given.type("\r");
    const { code, screen } = await given.ended;
    expect(code, screen).toBe(0);
    expect(screen).not.toMatch(/Session|Role|Groups/);
    expect(screen).toContain("Joined as claude (Birch)");
    // `--new` creates a session even if another has the same title.
    expect(screen).toContain(`Created session ${title}-2`);
  });

  it("[CHECKOUT-3] asks once whether agents may report where they work, and only in a repository", async () => {
    const { slug } = await testSession();
    const { merkle, launch } = await testTerminal();
    const repository = await mkdtemp(join(tmpdir(), "merkle-repository-"));
    onTestFinished(() => rm(repository, { recursive: true, force: true }));
    await promisify(execFile)("git", ["init", "-q", repository]);
    const start = (name: string, ...more: string[]) =>
      launch(["--session", slug, "--team", "Birch", "--name", name, "--role", "r", "--groups", "g", ...more]);
    const question = "how many lines changed?";

    const outside = start("oak");
    await outside.waitForScreen("Start?");
    outside.type("\r");
    expect((await outside.ended).screen).not.toContain(question);

    const first = start("atlas", "--cwd", repository);
    await first.waitForScreen(question);
    first.type("y\r");
    await first.waitForScreen("Start?");
    first.type("\r");
    expect((await first.ended).code).toBe(0);
    const config = JSON.parse(await readFile(join(merkle.home, "config.json"), "utf8"));
    expect(config).toMatchObject({ report_checkout: true });

    const second = start("elm", "--cwd", repository);
    await second.waitForScreen("Start?");
    second.type("\r");
    expect((await second.ended).screen).not.toContain(question);
  });

  it("[CLI-13] a session of a long title takes one line among the others, and a bad answer is told in our words", async () => {
    const title = `${randomUUID()} 会議 ${"and so on ".repeat(10)}`.trim();
    await testSession(title);
    const { launch } = await testTerminal();
    const asked = launch();
    await asked.waitForScreen("+ New session…");
    asked.type(title.slice(0, 36));
    await asked.waitForScreen(`❯ ${title.slice(0, 30)}`);
    await asked.waitForScreen("…   1 team, online: Convener");
    asked.type("\r");
    await asked.waitForScreen("'s Team)");
    asked.type(`${"x".repeat(120)}\r`);
    await asked.waitForScreen("must have at most 100 characters");
    asked.type("\u0003");
    const { screen } = await asked.ended;
    expect(screen).not.toContain(title);
  });

  it("[LAUNCH-11] Ctrl+C at any question, and no, make nothing, exit 130", async () => {
    const { slug, session_id } = await testSession();
    const { merkle, launch } = await testTerminal();
    const first = launch();
    await first.waitForScreen("Session");
    first.type("\u0003");
    expect((await first.ended).code).toBe(130);
    for (const keys of ["\u0003", "n\r"]) {
      const later = launch([
        "--session",
        slug,
        "--team",
        "Birch",
        "--name",
        "atlas",
        "--role",
        "r",
        "--groups",
        "g",
      ]);
      await later.waitForScreen("Start?");
      later.type(keys);
      const { code, screen } = await later.ended;
      expect(code, screen).toBe(130);
      // A question hides the cursor, which must be visible again at the end.
      expect(screen.lastIndexOf("\u001b[?25h")).toBeGreaterThanOrEqual(screen.lastIndexOf("\u001b[?25l"));
    }
    expect(await listTeams(session_id)).toEqual(["Convener"]);
    expect(existsSync(join(merkle.home, "teams"))).toBe(false);
  });
});

describe("merkle launch of a conversation that goes on", () => {
  it("[LAUNCH-12] resumes the peer that it had, by its id or as the last of the folder", async () => {
    const { slug } = await testSession();
    const { merkle, run } = await testMachine();
    await run(["launch", "--session", slug, "--team", "Birch", "--name", "atlas"]);
    const held = await getStoredPeer(merkle, "atlas");
    const conversation = randomUUID();
    await saveStoredPeer(merkle.home, { ...held, claude_session_id: conversation });
    const back = { code: 0, stderr: expect.stringContaining("✓ Back as atlas (Birch)") };
    expect(await run(["launch", "--", "--resume", conversation])).toMatchObject(back);
    const folder = join(
      merkle.home,
      ".claude",
      "projects",
      (await realpath(merkle.home)).replace(/[^A-Za-z0-9]/g, "-"),
    );
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `${conversation}.jsonl`), "");
    expect(await run(["launch", "--", "--continue"])).toMatchObject(back);
    expect(await run(["launch", "--", "--resume", randomUUID()])).toMatchObject({ code: 2 });
  });
});
