import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cp, mkdir, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { join as joinPath } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { claude } from "../../apps/cli/src/clients/claude.js";
import { isServingInShell } from "../../apps/cli/src/clients/serving.js";
import { listStoredPeers, toStoredPeerId } from "../../apps/cli/src/home/stored-peers.js";
import { openStandIn } from "../../apps/cli/src/mcp/stand-in.js";
import { readConfig } from "../../apps/cli/src/settings/config.js";
import { createCleanup } from "../kit/cleanup.js";
import { startClientInbox } from "../kit/client-inbox.js";
import { makePerson } from "../kit/persons.js";
import { makeAgentHome, startStdioServer } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { transports } from "../kit/transports.js";
import { startAgent, startSession } from "./agents.js";

const cleanup = createCleanup();
let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
});

/** Runs the hook command of a launched client and returns its output. */
async function runHookMail(
  { url, home, place }: { url: string; home: string; place: string },
  input: object,
): Promise<string> {
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    CLAUDE_CONFIG_DIR: home,
    // All hooks run in the same client process.
    CLAUDE_PID: String(process.pid),
    MERKLE_HOME: home,
    MERKLE_URL: url,
    MERKLE_PEER: place,
  };
  const child = spawn(process.execPath, [inject("program"), "hook", "mail"], { cwd: home, env });
  child.stdin.end(JSON.stringify(input));
  const [said] = await Promise.all([text(child.stdout), once(child, "close")]);
  return said;
}

interface Place {
  readonly home: string;
  readonly place: string;
}

/** Stores a peer of Birch in a new Merkle home. `merkle launch` would start a server for this peer. */
async function storePlace(alder: Awaited<ReturnType<typeof startSession>>): Promise<Place> {
  const home = await makeAgentHome();
  const joined = await startAgent(broker, alder, { home });
  await joined.stop();
  const [peer] = (await listStoredPeers(home, null)).filter(({ team_name }) => team_name === "Birch");
  return { home, place: peer ? toStoredPeerId(peer) : "" };
}

/**
 * Runs the shell part of a launched client's hook. Returns whether the server is running and an earlier hook has
 * reached it.
 */
async function isServed({ home, place }: Place, client = process.pid): Promise<boolean> {
  const env = { MERKLE_HOME: home, MERKLE_PEER: place, CLAUDE_PID: String(client) };
  const [code] = await once(spawn("sh", ["-c", isServingInShell], { env }), "close");
  return code === 0;
}

describe("hooks of a client", () => {
  it("[WAKE-3] [WAKE-4] hand over mail, which is acknowledged by what follows and not before", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder);
    const read = async () => (await alder.findRosterEntry("Birch"))["last_read"];
    await alder.post("one");
    await expect.poll(() => birch.hook("UserPromptSubmit")).toContain("\n#2 Alder: one\n");
    expect(await birch.hook("PostToolBatch", { agent_id: "a1" })).toBe("");
    expect(await read()).toBe(1);
    expect(await birch.hook("PostToolBatch")).toBe("");
    await expect.poll(read).toBe(2);

    await alder.post("low", { priority: "low" });
    await alder.post("two");
    await expect.poll(() => birch.hook("Stop", { prompt_id: "p2" })).toContain("#4 Alder: two");
    // The turn was interrupted before anything proved that the model saw the messages, so they are delivered again.
    expect(await birch.hook("UserPromptSubmit", { prompt_id: "p3" })).toContain(
      "\n(again) #3 Alder: low\n(again) #4",
    );
    expect(await read()).toBe(2);
    expect(await birch.call("check_messages")).toBe("nothing new");
    await expect.poll(read).toBe(4);
    expect(await birch.hook("Stop", { prompt_id: "p3" })).toBe("");
  });

  it("[WAKE-21] put an open ask to the agent once more before its turn ends, and no other message", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder);
    const ask = (text: string, more: object = { to: "Birch" }) =>
      alder.post(text, { content: { text, kind: "ask", options: ["old", "new"] }, ...more });
    const reminderOf = (number: number, text: string) =>
      `Merkle message #${number}, an ask to you by Alder, has no reply: "${text}" (old | new). Answer with reply_to ${number} and answer, or say why not with reply_to.`;

    await ask("Which\nkey?");
    await expect.poll(() => birch.hook("UserPromptSubmit")).toContain("#2 Alder");
    expect(await birch.hook("Stop", { agent_id: "a1" })).toBe("");
    expect(await birch.hook("Stop")).toBe(reminderOf(2, "Which key?"));
    expect(await birch.hook("Stop")).toBe("");

    await ask("And the vault?");
    await expect.poll(() => birch.hook("Stop")).toContain("#3 Alder");
    await birch.call("post_message", { content: { text: "I cannot say." }, reply_to: 3 });
    expect(await birch.hook("Stop"), "a reply without an answer will do").toBe("");

    await ask("Anybody?", {});
    await expect.poll(() => birch.hook("Stop")).toContain("#5 Alder");
    expect(await birch.hook("Stop"), "it is for everyone").toBe("");

    await birch.call("set_status", { status: "dnd" });
    await ask("Later?");
    await ask("Now?", { to: "Birch", priority: "now" });
    await expect.poll(() => birch.hook("Stop")).toContain("#7! Alder");
    expect(await birch.hook("Stop")).toBe(reminderOf(7, "Now?"));
    expect(await birch.hook("Stop")).toBe("");
    await birch.call("set_status", { status: "working" });
    expect(await birch.hook("Stop")).toBe(reminderOf(6, "Later?"));
    expect(await birch.hook("Stop")).toBe("");
  });

  it("[WAKE-22] put a task in review to its reviewer once more before its turn ends, until it is accepted or returned", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder);
    const cedar = await startAgent(broker, alder, { team: "Cedar" });
    const ana = await makePerson(await transports.rest(broker.url), "Ana");
    const addTask = async (title: string) => {
      const body = { title, check: { reviewer: "Birch" } };
      const { task } = await alder.askAs<{ task: number }>(ana.person_id, "POST", "/tasks", body);
      return task;
    };
    const finish = async (task: number) => {
      await cedar.call("claim_task", { task });
      await cedar.call("finish_task", { task });
    };
    const reminderOf = (task: number, title: string) =>
      `Merkle task ${task} by Cedar is in review and waits for you: "${title}". Accept it with finish_task, or return it with release, task and reason.`;

    const one = await addTask("Rotate");
    await finish(one);
    await expect.poll(() => birch.hook("UserPromptSubmit")).toContain("change in_review");
    expect(await birch.hook("Stop")).toBe(reminderOf(one, "Rotate"));
    expect(await birch.hook("Stop")).toBe("");

    const two = await addTask("Ship");
    await finish(two);
    await expect.poll(() => birch.hook("Stop")).toContain("change in_review");
    await birch.call("release", { task: two, reason: "No tests." });
    expect(await birch.hook("Stop"), "it was returned").toBe("");
    await finish(two);
    await expect.poll(() => birch.hook("Stop")).toContain("change in_review");
    expect(await birch.hook("Stop")).toBe(reminderOf(two, "Ship"));
    await birch.call("finish_task", { task: two });
    expect(await birch.hook("Stop")).toBe("");
  });

  it("[WAKE-6] tell what it is doing, and [WAKE-13] the place says what can wake it", async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    const birch = await startAgent(broker, alder, { env: { ...inbox.env, MERKLE_MODEL: "opus" } });
    const peer = async () => (await alder.listPeers("Birch"))[0];
    expect(await peer()).toMatchObject({
      declared: null,
      capabilities: {
        client: "test",
        version: "1",
        model: "opus",
        toolsets: ["core", "messaging", "mesh", "progress", "tasks"],
        wake: ["inbox"],
      },
      cwd: expect.any(String),
      machine: expect.any(String),
    });
    await birch.hook("UserPromptSubmit");
    await expect.poll(peer).toMatchObject({
      declared: { status: "working" },
      capabilities: { wake: ["inbox", "hooks"] },
    });
    await birch.hook("Stop");
    await expect.poll(peer).toMatchObject({ declared: { status: "idle" } });
    await birch.call("set_status", { status: "dnd" });
    await birch.hook("UserPromptSubmit");
    await alder.post("not now");
    await alder.post("still not", { to: "Birch" });
    await expect.poll(() => birch.hook("Stop")).toBe("");
    expect(await peer()).toMatchObject({ declared: { status: "dnd" } });
    await alder.post("now", { priority: "now" });
    await expect.poll(() => birch.hook("PostToolBatch")).toMatch(/#2 .+\n#3 .+\n#4! Alder: now/);
  });

  it("[WAKE-7] let a subagent read along, which takes nothing from the main agent", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder);
    await alder.post("one");
    const subagent = { agent_id: "a1", tool_use_id: "t1" };
    await birch.hook("PreToolUse", subagent);
    expect(await birch.call("wait_for_messages", {}, "t1")).toBe("#2 Alder: one");
    await birch.hook("PreToolUse", { ...subagent, tool_use_id: "t2" });
    expect(await birch.call("check_messages", {}, "t2")).toBe("nothing new");
    await birch.hook("PreToolUse", { tool_use_id: "t3" });
    expect(await birch.call("check_messages", {}, "t3")).toBe("#2 Alder: one");
    await birch.hook("PreToolUse", { ...subagent, tool_use_id: "t4" });
    expect(await birch.call("list_peers", {}, "t4")).toContain("Alder");
    expect(await alder.findRosterEntry("Birch")).toMatchObject({ last_read: 1 });
    await birch.hook("Stop");
    await expect.poll(() => alder.findRosterEntry("Birch")).toMatchObject({ last_read: 2 });
  });

  it("[WAKE-15] by a command bring the mail of a place whose server is gone, acknowledge what the transcript has, and are silent otherwise", async () => {
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    const session_id = randomUUID();
    const joined = await startAgent(broker, alder, { home });
    await joined.stop();
    const [file = ""] = (await readdir(joinPath(home, "teams"))).filter((name) => name.endsWith(".json"));
    const place = file.replace(".json", "");
    const env = { CLAUDE_CODE_SESSION_ID: session_id, CLAUDE_CONFIG_DIR: home };
    const server = await startStdioServer({ url: broker.url, home, env, args: ["--as", place] });
    await expect.poll(async () => (await alder.findRosterEntry("Birch"))["connections"]).toBe(1);

    const hook = (hook_event_name: string, ids = {}) =>
      runHookMail({ url: broker.url, home, place }, { hook_event_name, session_id, prompt_id: "p1", ...ids });
    await alder.post("one");
    expect(await hook("Stop")).toBe("");
    server.process.kill("SIGKILL");
    await server.ended;
    expect(await hook("Stop", { agent_id: "a1" })).toBe("");
    const { systemMessage, hookSpecificOutput } = JSON.parse(await hook("Stop"));
    expect(systemMessage).toContain("/mcp");
    expect(hookSpecificOutput).toMatchObject({ hookEventName: "Stop" });
    expect(hookSpecificOutput.additionalContext).toContain("\n#2 Alder: one\n");
    expect(await alder.findRosterEntry("Birch")).toMatchObject({ last_read: 1 });

    const entry = (uuid: string, fields: object) => JSON.stringify({ uuid, parentUuid: null, ...fields });
    const content = [hookSpecificOutput.additionalContext];
    const lines = [
      entry("1", { attachment: { type: "hook_additional_context", content } }),
      entry("2", { type: "assistant", parentUuid: "1" }),
    ];
    await mkdir(joinPath(home, "projects", "-here"), { recursive: true });
    await writeFile(joinPath(home, "projects", "-here", `${session_id}.jsonl`), `${lines.join("\n")}\n`);
    await alder.post("two");
    const next = JSON.parse(await hook("Stop"));
    expect(next.hookSpecificOutput.additionalContext).toMatch(/not from your user:\n#3 Alder: two$/);
    expect(await alder.findRosterEntry("Birch")).toMatchObject({ last_read: 2 });

    // For a prompt typed during a turn, the client would show the output of the prompt's hook after the output of the
    // turn's hooks. The prompt's hook therefore delivers nothing.
    await alder.post("three");
    expect(await hook("UserPromptSubmit")).toBe("");
    expect(await hook("UserPromptSubmit", { prompt_id: "p2" })).toContain("#4 Alder: three");
  });

  it("[WAKE-15] of a server that runs and that its client does not reach are brought by the command, and what stood in for it gives way when it is reached again", async () => {
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    const session_id = randomUUID();
    const joined = await startStdioServer({ url: broker.url, home });
    await joined.call("join_session", { session_id: alder.slug, team_name: "Birch", peer_name: "atlas" });
    await joined.stop();
    const [peer] = (await listStoredPeers(home, null)).filter(({ peer_name }) => peer_name === "atlas");
    const place = peer?.peer_id ?? "";
    const env = { CLAUDE_CODE_SESSION_ID: session_id, CLAUDE_CONFIG_DIR: home };
    const server = await startStdioServer({ url: broker.url, home, env, args: ["--as", place] });
    await expect.poll(async () => (await alder.findRosterEntry("Birch"))["connections"]).toBe(1);
    const at = { home, place };
    const declared = async () => (await alder.listPeers("Birch"))[0]?.["declared"];
    expect(await isServed(at)).toBe(true);
    await server.hook("Stop");
    expect(await isServed(at)).toBe(true);

    // Simulates that a hook last reached the server long before the client's last hook.
    await utimes(joinPath(home, "teams", `${place}.pid`), 0, 0);
    expect(await isServed(at)).toBe(false);
    expect(await isServed(at, 1)).toBe(true);
    await alder.post("one");
    const input = { hook_event_name: "Stop", session_id, prompt_id: "p1" };
    const brought = JSON.parse(await runHookMail({ url: broker.url, home, place }, input));
    expect(brought.hookSpecificOutput.additionalContext).toContain("\n#2 Alder: one\n");
    const config = await readConfig({ flags: { url: broker.url }, env: { MERKLE_HOME: home }, cwd: home });
    const standIn = await openStandIn({ config, storedPeerId: place, client: claude, pid: process.pid });
    onTestFinished(() => standIn.stop());
    expect(await declared()).toMatchObject({ status: "blocked", reason: expect.stringContaining("/mcp") });

    const goOn = () => server.hook("PostToolBatch").then(declared);
    await expect.poll(goOn).toMatchObject({ status: "working", reason: null });
    expect(await isServed(at)).toBe(true);
    await alder.post("two");
    await expect.poll(() => server.hook("PostToolBatch")).toContain("#3 Alder: two");
  });

  it("[WAKE-15] of a server that the client started after the last was killed, and has not reached, are brought by the command", async () => {
    const alder = await startSession(broker);
    const at = await storePlace(alder);
    const { home, place } = at;
    const session_id = randomUUID();
    const env = { CLAUDE_CODE_SESSION_ID: session_id, CLAUDE_CONFIG_DIR: home };
    const start = () => startStdioServer({ url: broker.url, home, env, args: ["--as", place] });
    const first = await start();
    // One hook runs before the client has connected, and one afterwards.
    for (const _ of ["connecting", "connected"]) expect(await isServed(at)).toBe(true);
    first.process.kill("SIGKILL");
    await first.ended;
    expect(await isServed(at)).toBe(false);

    await start();
    // `isServed` stays true for the hook that started the server. Later hooks do not reach this server, so `isServed`
    // then becomes false.
    expect(await isServed(at)).toBe(true);
    await expect.poll(() => isServed(at)).toBe(false);
    await alder.post("one");
    const input = { hook_event_name: "Stop", session_id, prompt_id: "p1" };
    const brought = JSON.parse(await runHookMail({ url: broker.url, home, place }, input));
    expect(brought.hookSpecificOutput.additionalContext).toContain("\n#2 Alder: one\n");
  });

  it.each(["next", "now"])(
    "[WAKE-15] [WAKE-16] of a server that was started during a turn are brought by the command when the client is idle, and mail of priority %s is nudged for at once",
    async (priority) => {
      const alder = await startSession(broker);
      const at = await storePlace(alder);
      const inbox = await startClientInbox();
      const start = () =>
        startStdioServer({ url: broker.url, home: at.home, env: inbox.env, args: ["--as", at.place] });
      const first = await start();
      expect(await isServed(at)).toBe(true);
      first.process.kill("SIGKILL");
      await first.ended;

      const second = await start();
      await second.hook("PostToolBatch");
      // If this idle status counted as an interruption, the next nudge would be delayed by an hour.
      await inbox.is("idle", Date.now() + 3_600_000);
      await alder.post("one", { to: "Birch", priority });
      expect((await inbox.next()).message.content).toContain("1 unread");
      expect(await isServed(at)).toBe(false);
    },
  );

  it("[WAKE-18] show that the client waits for a permission, until it goes on", async () => {
    const alder = await startSession(broker);
    const config = await makeAgentHome();
    const birch = await startAgent(broker, alder, { env: { CLAUDE_CONFIG_DIR: config } });
    const declared = async () => (await alder.listPeers("Birch"))[0]?.["declared"];
    const ask = (input: object) =>
      birch.call("hook", { event: "PermissionRequest", tool: "Bash", input: JSON.stringify(input) });
    const reason = 'waiting for permission at its terminal: Bash "touch x"';
    expect(await ask({ command: "touch\nx", description: "Work" })).toBe("{}");
    await expect.poll(declared).toMatchObject({ status: "blocked", reason });
    await birch.hook("PostToolBatch");
    await expect.poll(declared).toMatchObject({ status: "working", reason: null });

    // No hook reports a rejected permission prompt, but the client's status file does.
    const is = (status: string) =>
      writeFile(
        joinPath(config, "sessions", `${process.pid}.json`),
        JSON.stringify({ status, kind: "interactive" }),
      );
    await mkdir(joinPath(config, "sessions"));
    await is("waiting");
    await ask({ command: "touch x" });
    await expect.poll(declared).toMatchObject({ status: "blocked", reason });
    await is("idle");
    await expect.poll(declared).toMatchObject({ status: "idle", reason: null });

    // The server keeps a status that the agent has set itself.
    await birch.call("set_status", { status: "blocked", reason: "which port?" });
    await is("waiting");
    await ask({ command: "touch x" });
    await is("busy");
    await birch.hook("PostToolBatch");
    expect(await declared()).toMatchObject({ status: "blocked", reason: "which port?" });
  });

  it("[WAKE-4] what a killed server had offered without evidence comes from the next, and is said to come again", async () => {
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    const env = { CLAUDE_CODE_SESSION_ID: randomUUID() };
    const first = await startAgent(broker, alder, { home, env });
    await alder.post("one");
    await expect.poll(() => first.hook("UserPromptSubmit")).toContain("#2 Alder: one");
    await alder.post("two");
    first.process.kill("SIGKILL");
    await first.ended;

    const next = await startStdioServer({ url: broker.url, home, env });
    await expect.poll(() => next.hook("PostToolBatch")).toMatch(/\n\(again\) #2 Alder: one\n#3 Alder: two\n/);
    await next.hook("Stop");
    await expect.poll(() => alder.findRosterEntry("Birch")).toMatchObject({ last_read: 3 });
    expect(await alder.listPeers("Birch")).toHaveLength(1);
  });
});

describe("a client's inbox", () => {
  it("[WAKE-8] [WAKE-9] gets one line when mail comes to who is idle, and none for what is read by itself", async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    const birch = await startAgent(broker, alder, { env: inbox.env });
    const wait = birch.call("wait_for_messages");
    await expect.poll(async () => (await alder.findRosterEntry("Birch"))["polling"]).toBe(true);
    await alder.post("to who waits", { to: "Birch" });
    expect(await wait).toContain("to who waits");

    await alder.post("secret text", { to: "Birch" });
    const { message, priority } = await inbox.next();
    expect(message.content).toMatch(
      /^<cross-session-message from="merkle" from-name="merkle">\nMerkle nudge \d+: 1 unread\. [^\n]+\n<\/cross-session-message>$/,
    );
    expect(message.content).not.toContain("secret");
    expect(priority).toBe("next");
    expect(await birch.call("check_messages")).toContain("secret text");

    await birch.hook("UserPromptSubmit");
    await alder.post("in the turn", { to: "Birch" });
    await expect.poll(() => birch.hook("PostToolBatch")).toContain("in the turn");
    await alder.post("now", { to: "Birch", priority: "now" });
    expect(await inbox.next()).toMatchObject({ priority: "next" });
    await birch.hook("Stop");
    await birch.hook("Stop");
    expect(inbox.waiting).toEqual([]);
  });

  it("[WAKE-9] is told of priority now at once, ending a tool, where that is allowed", async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    const birch = await startAgent(broker, alder, { env: inbox.env, args: ["--interruptible"] });
    await birch.hook("UserPromptSubmit");
    await alder.post("stop!", { to: "Birch", priority: "now" });
    expect(await inbox.next()).toMatchObject({ priority: "now" });
  });

  it("[WAKE-9] is told when a turn was interrupted, which the client shows by being idle after its last hook", async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    const birch = await startAgent(broker, alder, { env: inbox.env });
    await inbox.is("idle");
    await birch.hook("UserPromptSubmit");
    await inbox.is("busy");
    await alder.post("hello", { to: "Birch" });
    await birch.call("list_peers");
    expect(inbox.waiting).toEqual([]);
    await inbox.is("idle");
    expect((await inbox.next()).message.content).toContain("1 unread");
  });

  it("[WAKE-9] gets no nudge while the client reports a turn that no hook shows, and one when that is over", async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    const birch = await startAgent(broker, alder, { env: inbox.env });
    await birch.hook("Stop");
    await inbox.is("busy");
    await alder.post("hello", { to: "Birch" });
    await birch.call("list_peers");
    expect(inbox.waiting).toEqual([]);
    await inbox.is("idle");
    expect((await inbox.next()).message.content).toContain("1 unread");
  });

  it("[WAKE-9] [WAKE-16] gets its nudge without delay after a turn that mail waited for and that no one interrupted", async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    const birch = await startAgent(broker, alder, { env: inbox.env });
    await birch.hook("UserPromptSubmit");
    await inbox.is("busy");
    await alder.post("one", { to: "Birch" });
    await expect.poll(() => birch.hook("Stop")).toContain("one");
    expect(await birch.hook("Stop")).toBe("");
    // If this idle status counted as an interruption, the next nudge would be delayed by an hour.
    await inbox.is("idle", Date.now() + 3_600_000);
    // Half a second after a message starts waiting for a turn to end, the server reads the client's status file.
    await delay(1_000);
    await alder.post("two", { to: "Birch" });
    expect((await inbox.next()).message.content).toContain("1 unread");
  });

  it("[WAKE-9] [WAKE-16] gets its nudge without delay after a turn that an error ended, and its peer is idle", async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    const birch = await startAgent(broker, alder, { env: inbox.env });
    const declared = async () => (await alder.listPeers("Birch"))[0]?.["declared"];
    await birch.hook("UserPromptSubmit");
    await expect.poll(declared).toMatchObject({ status: "working" });
    await birch.hook("StopFailure");
    await expect.poll(declared).toMatchObject({ status: "idle" });
    // If this idle status counted as an interruption, the next nudge would be delayed by an hour.
    await inbox.is("idle", Date.now() + 3_600_000);
    await alder.post("one", { to: "Birch" });
    expect((await inbox.next()).message.content).toContain("1 unread");
  });

  it("[WAKE-19] that takes a nudge in vain gets no more, and its peer is blocked, until the server is heard by the client", async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    const birch = await startAgent(broker, alder, { env: inbox.env });
    const peer = async () => (await alder.listPeers("Birch"))[0];
    await birch.hook("Stop");
    await expect.poll(peer).toMatchObject({ capabilities: { wake: ["inbox", "hooks"] } });
    await alder.post("one", { to: "Birch", priority: "now" });
    await inbox.next();
    await inbox.is("busy");
    // The turn that the nudge started has not ended yet.
    await alder.post("two", { to: "Birch", priority: "now" });
    await inbox.next();
    await inbox.is("idle");
    await alder.post("three", { to: "Birch", priority: "now" });
    const reason = expect.stringContaining("type /mcp");
    await expect
      .poll(peer)
      .toMatchObject({ declared: { status: "blocked", reason }, capabilities: { wake: [] } });
    expect(await alder.ask("POST", "/nudge", { to: "Birch" })).toMatchObject({ nudged: [{ reached: [] }] });
    expect(inbox.waiting).toEqual([]);

    expect(await birch.hook("UserPromptSubmit")).toContain("#4! Alder to Birch: three");
    await expect.poll(peer).toMatchObject({ capabilities: { wake: ["inbox", "hooks"] } });
    await birch.hook("Stop");
    await expect.poll(peer).toMatchObject({ declared: { status: "idle", reason: null } });
  });

  it("[WAKE-19] of a launched agent that takes a nudge in vain has the launch act in the server's place", async () => {
    const alder = await startSession(broker);
    const { home, place } = await storePlace(alder);
    const inbox = await startClientInbox();
    const birch = await startStdioServer({ url: broker.url, home, env: inbox.env, args: ["--as", place] });
    await birch.hook("Stop");
    await alder.post("one", { to: "Birch", priority: "now" });
    await inbox.next();
    await inbox.is("idle");
    await alder.post("two", { to: "Birch", priority: "now" });
    const heardUntil = async () => (await stat(joinPath(home, "teams", `${place}.pid`))).mtimeMs;
    await expect.poll(heardUntil).toBe(0);
  });

  it("[WAKE-19] of a client that runs no hooks is not taken to have had a nudge in vain when its model does nothing", async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    await startAgent(broker, alder, { env: inbox.env });
    for (const text of ["one", "two", "three"]) {
      await alder.post(text, { to: "Birch", priority: "now" });
      await inbox.next();
      await inbox.is("idle");
    }
    expect((await alder.listPeers("Birch"))[0]).toMatchObject({ capabilities: { wake: ["inbox"] } });
  });

  it("[WAKE-11] is used when somebody nudges, who is told so", { tags: "long" }, async () => {
    const alder = await startSession(broker);
    const inbox = await startClientInbox();
    await startAgent(broker, alder, { env: inbox.env });
    const { nudged } = await alder.ask<{ nudged: unknown[] }>("POST", "/nudge", { to: "Birch" });
    expect(nudged).toMatchObject([{ team: "Birch", reached: ["inbox"] }]);
    expect((await inbox.next()).message.content).toContain("please check your messages. 0 unread");
  });

  it("[WAKE-13] that is gone breaks nothing, and is promised to nobody", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder, {
      env: { CLAUDE_CODE_MESSAGING_SOCKET: "/nonexistent/1.sock" },
    });
    await alder.post("hello", { to: "Birch" });
    await expect
      .poll(async () => (await alder.listPeers("Birch"))[0])
      .toMatchObject({ capabilities: { wake: [] } });
    expect(await birch.call("check_messages")).toContain("hello");
    expect(birch.stderr()).toBe("");
  });
});

describe("places", () => {
  it("[STDIO-7] a peer that joins by name is one row, whatever comes and goes", {
    tags: "long",
  }, async () => {
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    const env = { CLAUDE_CODE_SESSION_ID: randomUUID() };
    const join = {
      session_id: alder.slug,
      team_name: "Birch",
      peer_name: "atlas",
      role: "lead",
      groups: ["db"],
    };
    const first = await startStdioServer({ url: broker.url, home, env });
    expect(await first.call("join_session", join)).toContain(`joined ${alder.slug} as Birch/atlas`);
    expect(await first.call("join_session", join)).toContain(`resumed ${alder.slug} as Birch/atlas`);
    // After the conversation is cleared, the client continues in the same process with another session id.
    await first.hook("UserPromptSubmit", { session_id: env.CLAUDE_CODE_SESSION_ID });
    const cleared = randomUUID();
    await first.hook("UserPromptSubmit", { session_id: cleared });
    await alder.post("for atlas", { to: "atlas" });
    await first.stop();

    const resumed = await startStdioServer({
      url: broker.url,
      home,
      env: { CLAUDE_CODE_SESSION_ID: cleared },
    });
    expect(await resumed.call("check_messages")).toContain("for atlas");
    const forked = await startStdioServer({
      url: broker.url,
      home,
      env: { CLAUDE_CODE_SESSION_ID: randomUUID() },
    });
    expect(await forked.call("join_session", join)).toContain('"atlas-2" is free');
    expect(await forked.call("join_session", { ...join, peer_name: "boreas" })).toContain("as Birch/boreas");
    const names = (await alder.listPeers("Birch")).map(({ name }) => name);
    expect(names).toEqual(["atlas", "boreas"]);
    expect(await alder.findRosterEntry("Birch (2)")).toEqual({});
  });

  it("[STDIO-15] a server whose place is held elsewhere says so, and does not take it back", async () => {
    const alder = await startSession(broker);
    const home = await makeAgentHome();
    const join = { session_id: alder.slug, team_name: "Birch", peer_name: "atlas" };
    const older = await startStdioServer({ url: broker.url, home });
    await older.call("join_session", join);
    const copy = await makeAgentHome();
    await cp(joinPath(home, "teams"), joinPath(copy, "teams"), {
      recursive: true,
      filter: (path) => !path.endsWith(".lock"),
    });
    const newer = await startStdioServer({ url: broker.url, home: copy });
    expect(await newer.call("join_session", join)).toContain("resumed");
    await expect
      .poll(() => older.call("post_message", { content: { text: "x" } }))
      .toContain("conflict: Another process now acts as you");
    expect(await newer.call("post_message", { content: { text: "mine" } })).toMatch(/^#\d+ posted/);
    expect(await older.call("check_messages")).toContain("Another process now acts as you");
    expect(await older.hook("Stop")).toBe("");
  });
});
