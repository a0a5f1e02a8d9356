#!/usr/bin/env node
/**
 * A small ACP agent for tests. Its "model" is the test, which it reaches over the socket TEST_MODEL: each prompt is
 * sent there as a line, and each line from there is a step of the running turn. Like Codex, it hands few variables
 * to its MCP servers.
 */
import { spawn } from "node:child_process";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk";

const { TEST_MODEL = "", TEST_STEERING, TEST_MODES, TEST_LOGIN, TEST_DEAF } = process.env;
const model = createConnection(TEST_MODEL);
const tell = (event) => model.write(`${JSON.stringify(event)}\n`);

/** The running turn: its steps arrive from the test. */
let turn;
let server;
let mode = TEST_MODES?.split(",")[0];

const { client } = agent({ name: "test-agent" })
  .onRequest(methods.agent.initialize, ({ params }) => {
    tell({ event: "initialized", params });
    return {
      protocolVersion: 1,
      agentInfo: { name: "test-agent", title: "Test agent", version: "1.2.3" },
      agentCapabilities: {},
      authMethods: [{ id: "key", name: "API key" }],
      ...(TEST_STEERING && { _meta: { steering: { supported: true } } }),
    };
  })
  .onRequest(methods.agent.session.new, async ({ params }) => {
    if (TEST_LOGIN) throw RequestError.authRequired();
    const [first] = params.mcpServers;
    server = await startServer(first, params.cwd);
    tell({ event: "session", params, pid: process.pid, serverPid: server.pid });
    const modes = TEST_MODES?.split(",").map((id) => ({ id, name: id }));
    return {
      sessionId: "session-1",
      ...(modes && { modes: { currentModeId: mode, availableModes: modes } }),
    };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    mode = params.modeId;
    tell({ event: "mode", mode });
    return {};
  })
  .onRequest(methods.agent.session.prompt, ({ params }) => {
    tell({ event: "prompt", texts: params.prompt.map(({ text }) => text), overlaps: turn !== undefined });
    return new Promise((resolve, reject) => {
      turn = { resolve, reject };
    });
  })
  .onRequest(
    "_session/steering",
    (params) => params,
    ({ params }) => {
      tell({ event: "steered", texts: params.prompt.map(({ text }) => text) });
      return { outcome: "injected" };
    },
  )
  .onNotification(methods.agent.session.cancel, () => {
    tell({ event: "cancelled" });
    if (TEST_DEAF) return;
    finish({ stopReason: "cancelled" });
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));

function finish(response) {
  turn?.resolve(response);
  turn = undefined;
}

createInterface({ input: model }).on("line", async (line) => {
  const { step, ...fields } = JSON.parse(line);
  if (step === "update")
    return client.notify(methods.client.session.update, { sessionId: "session-1", ...fields });
  if (step === "end") return finish({ stopReason: fields.stopReason });
  if (step === "fail") {
    turn?.reject(RequestError.internalError({}, fields.message));
    turn = undefined;
  }
  if (step === "exit") process.exit(fields.code);
  if (step === "call") tell({ event: "called", result: await server.call("tools/call", fields) });
  if (step === "permission") {
    const answer = await client.request(methods.client.session.requestPermission, {
      sessionId: "session-1",
      ...fields,
    });
    tell({ event: "answered", ...answer });
  }
});

/** Starts an MCP server as the session names it, and connects to it. */
async function startServer({ command, args, env }, cwd) {
  const own = Object.fromEntries(["HOME", "LANG", "PATH", "TERM"].map((name) => [name, process.env[name]]));
  const child = spawn(command, args, {
    cwd,
    env: { ...own, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const pending = new Map();
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id, result, error, method } = JSON.parse(line);
    if (method === undefined) pending.get(id)?.(result ?? error);
  });
  const call = (method, params) =>
    new Promise((resolve) => {
      const id = pending.size + 1;
      pending.set(id, resolve);
      send({ id, method, params });
    });
  const clientInfo = { name: "test-agent", version: "1.2.3" };
  await call("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  send({ method: "notifications/initialized" });
  await call("tools/list", {});
  return { pid: child.pid, call };
}

// As real agents do, ends when its client closes the pipe, and with it its server.
process.stdin.on("end", () => process.exit(0));
