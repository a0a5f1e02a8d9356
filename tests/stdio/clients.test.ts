import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, lstat, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { WebSocketServer } from "ws";
import { attach, findSocketPath, sendToServer } from "../../apps/cli/src/clients/client-socket.js";
import { createCleanup } from "../kit/cleanup.js";
import { startEvilBroker } from "../kit/evil-broker.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { startAgent, startSession } from "./agents.js";

const cleanup = createCleanup();
let broker: TestBroker;
let temporary: string;
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
  // This test process acts as the client: it starts servers, and hooks that look for those servers.
  temporary = await mkdtemp(join(tmpdir(), "merkle-t-"));
  vi.stubEnv("TMPDIR", temporary);
  cleanup(() => rm(temporary, { recursive: true, force: true }));
  // The environment is restored, because later test files run in the same process.
  cleanup(async () => {
    vi.unstubAllEnvs();
  });
});

/** Runs a hook as a client with command hooks would. Returns the hook's parsed output. */
async function hook(client: string, event: string, sessionId = "c1"): Promise<Record<string, unknown>> {
  const run = promisify(execFile)(process.execPath, [inject("program"), "hook", "event", client, event], {
    env: { PATH: process.env["PATH"], HOME: temporary, TMPDIR: temporary },
  });
  run.child.stdin?.end(JSON.stringify({ session_id: sessionId }));
  return JSON.parse((await run).stdout);
}

describe("a client whose hooks are commands", () => {
  it("[VENDOR-4] [VENDOR-7] [VENDOR-9] hands over mail by a socket that is its user's alone, and says which conversation it is", async () => {
    const alder = await startSession(broker);
    // Without a server, the hook returns nothing.
    expect(await hook("gemini", "Stop")).toEqual({});
    const birch = await startAgent(broker, alder, {
      client: "gemini-cli-mcp-client",
      env: { TMPDIR: temporary },
    });
    const path = findSocketPath(process.pid) ?? "";
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
    await alder.post("which port?", { to: "Birch" });
    await expect
      .poll(() => hook("gemini", "UserPromptSubmit"))
      .toMatchObject({
        hookSpecificOutput: {
          hookEventName: "BeforeAgent",
          additionalContext: expect.stringContaining("#2 Alder to Birch: which port?"),
        },
      });
    expect(await hook("gemini", "Stop")).toEqual({});
    await alder.post("and the host?", { to: "Birch" });
    await expect
      .poll(() => hook("gemini", "Stop"))
      .toMatchObject({ decision: "block", reason: expect.stringContaining("and the host?") });
    expect((await alder.listPeers("Birch"))[0]).toMatchObject({ capabilities: { wake: ["hooks"] } });
    expect(await hook("gemini", "Stop")).toEqual({});
    await birch.stop();
    await expect(lstat(path)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("[WAKE-21] puts an open ask to its model once more when a turn ends", async () => {
    const alder = await startSession(broker);
    await startAgent(broker, alder, { client: "gemini-cli-mcp-client", env: { TMPDIR: temporary } });
    await alder.post("", { to: "Birch", content: { text: "which port?", kind: "ask" } });
    await expect.poll(() => hook("gemini", "UserPromptSubmit")).toHaveProperty("hookSpecificOutput");
    expect(await hook("gemini", "Stop")).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("#2, an ask to you by Alder, has no reply"),
    });
    expect(await hook("gemini", "Stop")).toEqual({});
  });

  it("[VENDOR-4] a folder that others may write to holds no socket", async () => {
    const folder = join(temporary, `merkle-${process.getuid?.() ?? ""}`);
    await chmod(folder, 0o777);
    onTestFinished(() => chmod(folder, 0o700));
    expect(findSocketPath(process.pid)).toBeNull();
  });

  it("[VENDOR-8] a plugin that is connected begins a turn with each nudge, and the roster says that it can", async () => {
    const alder = await startSession(broker);
    await startAgent(broker, alder, { client: "opencode", env: { TMPDIR: temporary } });
    const lines: string[] = [];
    attach((line) => lines.push(line));
    await expect
      .poll(async () => (await alder.listPeers("Birch"))[0])
      .toMatchObject({ capabilities: { wake: ["inbox"] } });
    await alder.post("wake up", { to: "Birch" });
    await expect.poll(() => lines).toEqual([expect.stringMatching(/^Merkle nudge \d+: 1 unread\. /)]);
    expect(lines[0]).not.toContain("wake up");
  });

  it("[VENDOR-8] a plugin that connects while its server joins is in the roster as well", async () => {
    const alder = await startSession(broker);
    const slow = await startEvilBroker(broker.url);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const isJoining = () => slow.heard.some((text) => text.includes("join_session"));
    slow.tampering.until = () => (isJoining() ? released : undefined);
    const started = startAgent(slow, alder, { client: "opencode", env: { TMPDIR: temporary } });
    await expect.poll(isJoining).toBe(true);
    await new Promise<void>((onAttached) => attach(() => undefined, { onAttached }));
    // The server answers it after it has taken the plugin.
    await sendToServer({ turn: { state: "ended", prompt_id: "p1" } });
    release();
    await started;
    await expect
      .poll(async () => (await alder.listPeers("Birch"))[0])
      .toMatchObject({ capabilities: { wake: ["inbox"] } });
  });
});

describe("Codex", () => {
  it("[VENDOR-7] [VENDOR-9] its hooks call the server's tool, and a subagent's are answered with nothing", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder, { client: "codex-mcp-client" });
    await alder.post("one", { to: "Birch" });
    const call = async (event: string, threadId: string) => {
      const { answer } = birch.begin("tools/call", {
        name: "hook",
        arguments: { client: "codex", event, session_id: "t1", prompt_id: "p1" },
        _meta: { threadId },
      });
      return JSON.parse((await answer).result?.content?.[0]?.text ?? "");
    };
    expect(await call("PostToolBatch", "t2")).toEqual({});
    await expect
      .poll(() => call("PostToolBatch", "t1"))
      .toMatchObject({ hookSpecificOutput: { hookEventName: "PostToolUse" } });
    await alder.post("two", { to: "Birch" });
    await expect
      .poll(() => call("Stop", "t1"))
      .toMatchObject({ decision: "block", reason: expect.stringContaining("two") });
    await expect
      .poll(async () => (await alder.listPeers("Birch"))[0])
      .toMatchObject({ capabilities: { wake: ["inbox", "hooks"] } });
  });

  it("[WAKE-21] its Stop puts an open ask to its model once more", async () => {
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder, { client: "codex-mcp-client" });
    const ids = { client: "codex", session_id: "t1", prompt_id: "p1" };
    const call = async (event: string) => JSON.parse(await birch.call("hook", { ...ids, event }));
    await alder.post("", { to: "Birch", content: { text: "which port?", kind: "ask" } });
    await expect.poll(() => call("UserPromptSubmit")).toHaveProperty("hookSpecificOutput");
    expect(await call("Stop")).toMatchObject({
      decision: "block",
      reason: expect.stringContaining("#2, an ask to you by Alder, has no reply"),
    });
    expect(await call("Stop")).toEqual({});
  });

  it("[VENDOR-8] a turn is begun at the app server beside it, before it had any", async () => {
    const app = await startAppServer();
    const alder = await startSession(broker);
    await startAgent(broker, alder, { client: "codex-mcp-client", env: app.env });
    await alder.post("one", { to: "Birch" });
    await expect.poll(() => app.asked.map(({ method }) => method)).toContain("turn/start");
    expect(app.asked.map(({ method }) => method)).toEqual([
      "initialize",
      "initialized",
      "thread/loaded/list",
      "turn/start",
    ]);
    expect(app.asked.at(-1)?.params).toMatchObject({
      threadId: "t9",
      input: [{ type: "text", text: expect.stringContaining("1 unread") }],
    });
  });

  it("[WAKE-9] none is begun while one runs in its thread, whose hooks bring the mail, and one once that is over", async () => {
    const app = await startAppServer();
    const alder = await startSession(broker);
    const birch = await startAgent(broker, alder, { client: "codex-mcp-client", env: app.env });
    await birch.hook("Stop", { session_id: "t9" });
    app.status = "active";
    await alder.post("one", { to: "Birch" });
    const asked = (method: string) => app.asked.filter((request) => request.method === method);
    await expect.poll(() => asked("thread/read").length).toBeGreaterThan(1);
    expect(asked("thread/read")[0]?.params).toEqual({ threadId: "t9", includeTurns: false });
    expect(asked("turn/start")).toEqual([]);
    app.status = "idle";
    await expect.poll(() => asked("turn/start")).toHaveLength(1);
  });
});

/** Starts an app server with one thread, as a launched Codex has. */
async function startAppServer() {
  const socket = join(temporary, randomUUID().slice(0, 8));
  const http = createServer();
  const server = new WebSocketServer({ server: http });
  const app = {
    env: { MERKLE_CODEX_SERVER: socket },
    asked: [] as { method: string; params?: Record<string, unknown> }[],
    status: "idle",
  };
  const answers: Readonly<Record<string, () => object>> = {
    "thread/loaded/list": () => ({ data: ["t9"], nextCursor: null }),
    "thread/read": () => ({ thread: { id: "t9", status: { type: app.status } } }),
  };
  server.on("connection", (connection) =>
    connection.on("message", (data) => {
      const { id, ...request } = JSON.parse(String(data));
      app.asked.push(request);
      connection.send(JSON.stringify({ method: "note" }));
      if (id !== undefined)
        connection.send(JSON.stringify({ id, result: answers[request.method]?.() ?? {} }));
    }),
  );
  await new Promise<void>((resolve) => http.listen(socket, resolve));
  onTestFinished(() => {
    for (const each of server.clients) each.terminate();
    http.close();
  });
  return app;
}
