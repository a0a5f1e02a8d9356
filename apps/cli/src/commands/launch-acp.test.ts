import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { isRunning } from "../../../../tests/claude/kit/processes.js";
import { type AcpModel, acpAgentCommand, startAcpModel } from "../../../../tests/kit/acp-model.js";
import { createCleanup } from "../../../../tests/kit/cleanup.js";
import { startTestBroker, type TestBroker } from "../../../../tests/kit/test-broker.js";
import { type BrokerClient, createBrokerClient } from "../broker/broker-client.js";
import { type StartedCommand, type TestMerkle, testMerkle } from "../test-kit/merkle.js";
import { hasTerminal, startAtTerminal } from "../test-kit/terminal.js";

let broker: TestBroker;
let client: BrokerClient;

const cleanup = createCleanup();
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  client = createBrokerClient({ base: broker.url, source: "default" }, new AbortController().signal);
});

interface LaunchedAgent {
  readonly merkle: TestMerkle;
  readonly model: AcpModel;
  readonly launch: StartedCommand;
  readonly pid: number;
  readonly serverPid: number;
  /** What `session/new` contained. */
  readonly session: Readonly<Record<string, unknown>>;
  post(text: string, more?: object): Promise<void>;
  findPeer(): Promise<Readonly<Record<string, unknown>>>;
}

/** Launches the test's ACP agent as a peer of a new session. */
async function launchAgent(env: Readonly<Record<string, string>> = {}): Promise<LaunchedAgent> {
  const machine = await prepareMachine(env);
  const launch = machine.merkle.start(machine.args, { env: machine.env });
  return { ...machine, launch, ...(await machine.ready()) };
}

async function prepareMachine(more: Readonly<Record<string, string>> = {}) {
  const merkle = await testMerkle();
  const model = await startAcpModel();
  const title = randomUUID().replaceAll("-", "");
  const { session_id, slug, team_id } = await client.call("create_session", {
    title,
    creator_team_name: "Alder",
  });
  const alder = client.as(team_id);
  const where = ["--session", slug, "--team", "Birch", "--name", "atlas"];
  const findPeer = async () => {
    const { peers } = await alder.call("list_peers", { session_id });
    return { ...peers.find(({ name }) => name === "atlas") };
  };
  return {
    ...{ merkle, model, findPeer },
    env: { MERKLE_URL: broker.url, ...model.env, ...more },
    args: ["launch", "--client", "acp", ...where, "-y", "--", ...acpAgentCommand],
    async post(text: string, fields: object = {}) {
      await alder.call("post_message", { session_id, content: { text }, to: "Birch", ...fields });
    },
    /** Resolves when the agent can be woken. */
    async ready() {
      const { pid, serverPid, params } = await model.next("session");
      onTestFinished(() => {
        if (existsSync(`/proc/${pid}`)) process.kill(Number(pid), "SIGKILL");
      });
      await expect
        .poll(findPeer)
        .toMatchObject({ capabilities: { wake: expect.arrayContaining(["inbox"]) } });
      return { pid: Number(pid), serverPid: Number(serverPid), session: Object(params) };
    },
  };
}

const numbers = (text: string) => text.match(/^#\d+/gm) ?? [];

describe("an ACP agent", () => {
  it("[LAUNCH-20] gets Merkle's server with its environment, no files and no terminal, and its exit code is handed on", async () => {
    const { model, merkle, session, launch, pid, serverPid, findPeer } = await launchAgent();
    expect(await model.next("initialized")).toMatchObject({
      params: { clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false } },
    });
    expect(session).toMatchObject({
      cwd: merkle.home,
      mcpServers: [
        {
          name: "merkle",
          env: expect.arrayContaining([
            { name: "MERKLE_HOME", value: merkle.home },
            { name: "MERKLE_URL", value: broker.url },
          ]),
        },
      ],
    });
    expect(JSON.stringify(session)).not.toContain("mk_");
    await expect.poll(findPeer).toMatchObject({ connected: true, capabilities: { client: "test-agent" } });
    model.step("exit", { code: 7 });
    expect(await launch.ended).toMatchObject({ code: 7 });
    expect(await isRunning(pid)).toBe(false);
    expect(await isRunning(serverPid)).toBe(false);
    await expect.poll(findPeer).toMatchObject({ connected: false });
  });

  it("[WAKE-23] [WAKE-12] is woken by a prompt that introduces it, and has the message", async () => {
    const { model, post, findPeer } = await launchAgent();
    await post("which port?");
    const first = await model.nextPrompt();
    expect(first).toContain('You are "Birch/atlas" in the session');
    expect(first).toMatch(/^Merkle nudge \d+: 1 unread\. /m);
    expect(first).toContain("#2 Alder to Birch: which port?");
    await expect.poll(findPeer).toMatchObject({ declared: { status: "working" } });
    model.end();
    await expect.poll(findPeer).toMatchObject({ declared: { status: "idle" } });
    await post("and the host?");
    const second = await model.nextPrompt();
    expect(second).not.toContain("You are");
    expect(numbers(second)).toEqual(["#3"]);
    model.end();
  });

  it("[WAKE-23] gets messages that come during a prompt once, in order, in one prompt after it", async () => {
    const { model, post, findPeer } = await launchAgent();
    await post("one");
    expect(numbers(await model.nextPrompt())).toEqual(["#2"]);
    await post("two");
    await post("three");
    model.step("update", {
      update: { sessionUpdate: "tool_call", toolCallId: "t1", title: "look", kind: "read" },
    });
    model.end();
    expect(numbers(await model.nextPrompt())).toEqual(["#3", "#4"]);
    model.end();
    await expect.poll(findPeer).toMatchObject({ declared: { status: "idle" } });
    await post("four");
    expect(numbers(await model.nextPrompt())).toEqual(["#5"]);
    const prompts = model.events.filter(({ event }) => event === "prompt");
    expect(prompts.map(({ overlaps }) => overlaps)).toEqual([false, false, false]);
    expect(JSON.stringify(prompts)).not.toContain("(again)");
  });

  it("[WAKE-23] gets the messages of a prompt that failed again, marked", async () => {
    const { model, post, launch } = await launchAgent();
    await post("one");
    await model.nextPrompt();
    await post("two");
    model.step("fail", { message: "no model answers" });
    await launch.waitForOutput("The agent did not take the prompt");
    const again = await model.nextPrompt();
    expect(again).toContain("(again) #2 Alder to Birch: one");
    expect(again).toContain("\n#3 Alder to Birch: two");
  });

  it("[WAKE-24] gets messages within its turn if it can be steered", async () => {
    const { model, post } = await launchAgent({ TEST_STEERING: "1" });
    await post("one");
    await model.nextPrompt();
    await post("two");
    const tool = { toolCallId: "t1", title: "look", kind: "read" };
    model.step("update", { update: { sessionUpdate: "tool_call", ...tool } });
    model.step("update", {
      update: { sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" },
    });
    const { texts } = await model.next("steered");
    expect(numbers(String(texts))).toEqual(["#3"]);
    model.end();
    await post("three");
    expect(numbers(await model.nextPrompt())).toEqual(["#4"]);
  });

  it("[LAUNCH-22] that is killed in mid-prompt ends its launch and leaves no process and no file", async () => {
    const { merkle, model, post, launch, pid, serverPid } = await launchAgent();
    await post("one");
    await model.nextPrompt();
    process.kill(pid, "SIGKILL");
    expect(await launch.ended).toMatchObject({ code: 137 });
    expect(await isRunning(pid)).toBe(false);
    expect(await isRunning(serverPid)).toBe(false);
    expect(await readdir(join(merkle.home, "launch"))).toEqual([]);
  });

  it("[LAUNCH-22] ends with SIGTERM to its launch", async () => {
    const { launch, pid, serverPid } = await launchAgent();
    launch.process.kill("SIGTERM");
    expect(await launch.ended).toMatchObject({ code: 143 });
    expect(await isRunning(pid)).toBe(false);
    expect(await isRunning(serverPid)).toBe(false);
  });

  it("[LAUNCH-20] that wants a login first is named with how to log in, exit 1", async () => {
    const { merkle, args, env } = await prepareMachine({ TEST_LOGIN: "1" });
    expect(await merkle.run(args, { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Test agent 1.2.3 wants you to log in first (API key)."),
    });
  });

  it("[LAUNCH-20] needs its command after --, and a dry run shows what it would get", async () => {
    const { merkle, args, env } = await prepareMachine();
    const bare = args.slice(0, args.indexOf("--"));
    expect(await merkle.run(bare, { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("after --"),
    });
    const modelled = [...bare, "--model", "big", "--", ...acpAgentCommand];
    expect(await merkle.run(modelled, { env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the agent's own flag after --"),
    });
    const dry = await merkle.run([...bare, "--dry-run", "--json", "--", ...acpAgentCommand], { env });
    expect(JSON.parse(dry.stdout)).toMatchObject({
      command: acpAgentCommand,
      mcp_server: { env: { MERKLE_URL: broker.url } },
    });
  });
});

it("[CLI-180] only the launch of an ACP agent loads the protocol's code", () => {
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.endsWith(".test.ts"),
  );
  const findImporters = (module: string) =>
    paths.filter((path) =>
      new RegExp(`^(?:import|export) (?!type)[^;]*from "[^"]*${module}"`, "m").test(
        readFileSync(join(folder, path), "utf8"),
      ),
    );
  expect(findImporters("@agentclientprotocol/sdk")).toEqual([join("clients", "acp-session.ts")]);
  expect(findImporters("acp-session.js")).toEqual([join("launch", "acp", "run-acp-agent.ts")]);
  expect(findImporters("run-acp-agent.js")).toEqual([]);
});

describe.runIf(hasTerminal)("the terminal of an ACP agent", () => {
  async function openTerminal(env: Readonly<Record<string, string>> = {}) {
    const machine = await prepareMachine(env);
    const terminal = startAtTerminal(machine.merkle, machine.args, machine.env);
    await machine.ready();
    await terminal.waitForScreen("Type a line to prompt it.");
    return { ...machine, terminal };
  }

  it("[LAUNCH-21] makes typed lines prompts, and shows text, plans and tool calls without control characters", async () => {
    const { model, terminal } = await openTerminal();
    terminal.type("read the feed\n");
    expect(await model.nextPrompt()).toContain("read the feed");
    const show = (update: object) => model.step("update", { update });
    show({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I am \u001b[31mred" } });
    await terminal.waitForScreen("I am \u{fffd}[31mred");
    show({
      sessionUpdate: "plan",
      entries: [{ content: "Look around", status: "in_progress", priority: "high" }],
    });
    await terminal.waitForScreen("◐ Look around");
    show({ sessionUpdate: "tool_call", toolCallId: "t1", title: "ls -l", kind: "execute" });
    await terminal.waitForScreen("· ls -l (execute)");
    const content = [{ type: "content", content: { type: "text", text: "two files" } }];
    show({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed", content });
    await terminal.waitForScreen("✓ ls -l: two files");
    terminal.type("\u0003");
    await model.next("cancelled");
    await terminal.waitForScreen("(cancelled)");
    terminal.type("go on\n");
    expect(await model.nextPrompt()).toBe("go on");
    model.end();
  });

  it("[LAUNCH-21] asks for permissions: a number, y or n answers, by the option's kind", async () => {
    const { model, terminal, findPeer } = await openTerminal();
    terminal.type("clean up\n");
    await model.nextPrompt();
    const options = [
      { optionId: "a", kind: "allow_always", name: "Always" },
      { optionId: "b", kind: "allow_once", name: "Once" },
      { optionId: "c", kind: "reject_once", name: "No" },
    ];
    const toolCall = {
      toolCallId: "t1",
      title: "rm -rf build",
      kind: "execute",
      rawInput: { command: "rm -rf build" },
    };
    for (const [answer, optionId] of [
      ["y", "b"],
      ["n", "c"],
      ["1", "a"],
    ]) {
      model.step("permission", { toolCall, options });
      await expect.poll(findPeer).toMatchObject({
        declared: { status: "blocked", reason: expect.stringContaining("rm -rf build") },
      });
      terminal.type(`what?\n${answer}\n`);
      expect(await model.next("answered")).toMatchObject({ outcome: { outcome: "selected", optionId } });
      await expect.poll(findPeer).toMatchObject({ declared: { status: "working" } });
    }
    await terminal.waitForScreen("Answer with a number from 1 to 3, y or n.");
    model.end();
  });

  it("[LAUNCH-21] allows Merkle's own tools once, and no command that only looks like one", async () => {
    const { model, terminal } = await openTerminal();
    terminal.type("go\n");
    await model.nextPrompt();
    const options = [
      { optionId: "always", kind: "allow_always", name: "Always" },
      { optionId: "once", kind: "allow_once", name: "Once" },
    ];
    // As OpenCode, Claude and Gemini CLI name them.
    for (const title of ["merkle_list_peers", "mcp__merkle__list_peers", "list_peers (merkle MCP Server)"]) {
      model.step("permission", { toolCall: { toolCallId: title, title, kind: "other" }, options });
      expect(await model.next("answered")).toMatchObject({ outcome: { optionId: "once" } });
    }
    model.step("permission", {
      toolCall: { toolCallId: "t2", title: "merkle_list_peers", kind: "execute" },
      options,
    });
    await terminal.waitForScreen("? merkle_list_peers (execute)");
    terminal.type("\u0003");
    expect(await model.next("answered")).toMatchObject({ outcome: { outcome: "cancelled" } });
  });

  it("[LAUNCH-22] Ctrl+C between turns, or twice in one, ends the agent with 130, and the end of the input with its code", async () => {
    const idle = await openTerminal();
    idle.terminal.type("\u0003");
    expect(await idle.terminal.ended).toMatchObject({ code: 130 });
    const deaf = await openTerminal({ TEST_DEAF: "1" });
    deaf.terminal.type("go\n");
    await deaf.model.nextPrompt();
    // Keys that come at once count as one.
    const typing = setInterval(() => deaf.terminal.type("\u0003"), 100);
    expect(await deaf.terminal.ended).toMatchObject({ code: 130 });
    clearInterval(typing);
    const closed = await openTerminal();
    closed.terminal.type("\u0004");
    expect(await closed.terminal.ended).toMatchObject({ code: 0 });
  });

  it("[APPROVE-14] sets a mode in which the agent asks, if a model would decide in its default", async () => {
    const { model } = await openTerminal({ TEST_MODES: "auto,acceptEdits,default" });
    expect(await model.next("mode")).toEqual({ event: "mode", mode: "default" });
  });
});
