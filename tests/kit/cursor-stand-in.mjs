import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

/**
 * Stands in for `cursor-agent`, which needs an account: runs hooks and MCP servers as Cursor documents it. A test drives it
 * over the socket in `TEST_CONTROL`, one JSON line for each step of the model and of its user, and reads what happened:
 *
 * - `{loaded}`: the hooks, tools, rules, and notes on files that were ignored
 * - `{user, text}`: a prompt, of the person or of a hook (`followup`)
 * - `{model, text}`: text that a hook added to the conversation
 * - `{done}`: the step has ended
 */
if (process.argv.includes("--version")) {
  process.stdout.write(`${process.env.TEST_VERSION ?? "2026.09.10-5c1b8c1"}\n`);
  process.exit();
}

const knownEvents = [
  ...["sessionStart", "sessionEnd", "preToolUse", "postToolUse", "postToolUseFailure", "subagentStart"],
  ...[
    "subagentStop",
    "beforeShellExecution",
    "afterShellExecution",
    "beforeMCPExecution",
    "afterMCPExecution",
  ],
  ...["beforeReadFile", "afterFileEdit", "beforeSubmitPrompt", "preCompact", "stop", "afterAgentResponse"],
  ...["afterAgentThought", "beforeTabFileRead", "afterTabFileEdit", "workspaceOpen"],
];
/** Cursor's names for the events of Claude Code, whose hooks it can run, too. */
const claudeEvents = { SessionStart: "sessionStart", UserPromptSubmit: "beforeSubmitPrompt", Stop: "stop" };
const followUpsDefault = 5;
const hookSecondsDefault = 60;

const home = homedir();
const version = "3.11.0";
const control = connect(process.env.TEST_CONTROL);
const report = (event) => control.write(`${JSON.stringify(event)}\n`);
const listFlagValues = (flag) =>
  process.argv.flatMap((each, index) => (each === flag ? [process.argv[index + 1]] : []));

const notes = [];
const hooks = [];
const rules = [];
const servers = [];
const conversation = listFlagValues("--resume")[0] ?? randomUUID();
let generation = randomUUID();
let sessionEnv = {};
let followUps = 0;

/** Loads a file of hooks. One event that Cursor does not know makes it ignore the whole file, as does a missing version. */
function loadHooks(file, cwd) {
  if (!existsSync(file)) return;
  const content = JSON.parse(readFileSync(file, "utf8"));
  const unknown = Object.keys(content.hooks).filter((event) => !knownEvents.includes(event));
  if (content.version !== 1) notes.push(`${file} has no version`);
  else if (unknown.length > 0) notes.push(`${file} has unknown events: ${unknown.join(", ")}`);
  else
    for (const [event, list] of Object.entries(content.hooks))
      for (const hook of list) hooks.push({ event, cwd, ...hook });
}

function loadClaudeHooks() {
  const file = join(home, ".claude", "settings.json");
  if (!process.env.TEST_CLAUDE_HOOKS || !existsSync(file)) return;
  for (const [name, groups] of Object.entries(JSON.parse(readFileSync(file, "utf8")).hooks))
    for (const hook of groups.flatMap((each) => each.hooks))
      if (claudeEvents[name] && hook.type === "command")
        hooks.push({ event: claudeEvents[name], cwd: process.cwd(), loop_limit: null, ...hook });
}

/** Cursor replaces variables in the configuration, and gives servers few of its own. */
function toServerEnv(env = {}) {
  const filled = Object.entries(env).map(([name, value]) => [
    name,
    value.replace(/\$\{env:(\w+)\}/g, (_, variable) => process.env[variable] ?? ""),
  ]);
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, ...Object.fromEntries(filled) };
}

async function startServers(file) {
  if (!existsSync(file)) return;
  for (const { command, args, env } of Object.values(JSON.parse(readFileSync(file, "utf8")).mcpServers)) {
    const child = spawn(command, args, { env: toServerEnv(env), stdio: ["pipe", "pipe", "inherit"] });
    const pending = new Map();
    createInterface(child.stdout).on("line", (line) => {
      const { id, result, error } = JSON.parse(line);
      pending.get(id)?.(result ?? error);
    });
    let lastId = 0;
    const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const request = (method, params) =>
      new Promise((answer) => {
        lastId += 1;
        pending.set(lastId, answer);
        send({ id: lastId, method, params });
      });
    const clientInfo = { name: process.env.TEST_MCP_NAME ?? "cursor-agent", version };
    await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    send({ method: "notifications/initialized" });
    const { tools } = await request("tools/list", {});
    servers.push({ child, request, tools: tools.map(({ name }) => name) });
  }
}

async function loadPlugin(folder) {
  const plugin = JSON.parse(readFileSync(join(folder, ".cursor-plugin", "plugin.json"), "utf8"));
  if (plugin.hooks) loadHooks(resolve(folder, plugin.hooks), folder);
  if (plugin.rules) rules.push(readFileSync(resolve(folder, plugin.rules, "merkle.mdc"), "utf8"));
  if (plugin.mcpServers) await startServers(resolve(folder, plugin.mcpServers));
}

/** Runs one hook. Only the output of one that succeeds counts. */
function runHook(hook, input) {
  return new Promise((done) => {
    const env = {
      ...process.env,
      ...sessionEnv,
      ...{ CURSOR_VERSION: version, CURSOR_PROJECT_DIR: process.cwd(), CLAUDE_PROJECT_DIR: process.cwd() },
    };
    const child = spawn("/bin/sh", ["-c", hook.command], {
      cwd: existsSync(hook.cwd) ? hook.cwd : home,
      env,
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), (hook.timeout ?? hookSecondsDefault) * 1_000);
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.pipe(process.stderr);
    child.stdin.on("error", () => undefined).end(JSON.stringify(input));
    child.on("close", (code) => {
      clearTimeout(timer);
      done(code === 0 && output.trim() !== "" ? JSON.parse(output) : {});
    });
  });
}

/** Runs all hooks of an event, of all files. Returns each with its output. */
async function fire(event, fields = {}) {
  const input = {
    ...{
      conversation_id: conversation,
      generation_id: generation,
      model: "stand-in",
      hook_event_name: event,
    },
    ...{ cursor_version: version, workspace_roots: [process.cwd()], user_email: null, transcript_path: null },
    ...fields,
  };
  const outputs = [];
  for (const hook of hooks)
    if (hook.event === event) outputs.push({ hook, output: await runHook(hook, input) });
  const takesContext = event === "sessionStart" || event === "postToolUse";
  for (const { output } of outputs)
    if (takesContext && output.additional_context) report({ model: event, text: output.additional_context });
  return outputs;
}

async function startTurn(user, text) {
  generation = randomUUID();
  await fire("beforeSubmitPrompt", { prompt: text, attachments: [] });
  report({ user, text });
}

async function runTool({ tool, input = {} }) {
  const server = servers.find(({ tools }) => tools.includes(tool));
  const fields = { tool_name: server ? `MCP:${tool}` : tool, tool_input: input, tool_use_id: randomUUID() };
  await fire("preToolUse", fields);
  const result = await server?.request("tools/call", { name: tool, arguments: input });
  if (result) report({ model: "result", text: result.content[0].text });
  await fire("postToolUse", { ...fields, tool_output: JSON.stringify(result ?? "ok"), duration: 1 });
}

/** Ends the turn. The first follow-up of a hook that is within its limit becomes the next prompt. */
async function endTurn(status) {
  await fire("afterAgentResponse", { text: "done" });
  const outputs = await fire("stop", { status, loop_count: followUps });
  const { output } =
    outputs.find(({ hook: { loop_limit: limit = followUpsDefault }, output }) => {
      return output.followup_message && (limit === null || followUps < limit);
    }) ?? {};
  if (!output) return;
  followUps += 1;
  await startTurn("followup", output.followup_message);
}

async function perform(step) {
  if (step.prompt !== undefined) await startTurn("person", step.prompt);
  if (step.tool !== undefined) await runTool(step);
  if (step.stop !== undefined) await endTurn(step.stop);
  if (step.exit !== undefined) {
    await fire("sessionEnd", { session_id: conversation, reason: "completed", final_status: "completed" });
    exit(step.exit);
  }
}

function exit(code) {
  for (const { child } of servers) child.kill("SIGTERM");
  process.exit(code);
}

// A test that has ended leaves nothing behind.
control.on("close", () => exit(1));

loadHooks(join(home, ".cursor", "hooks.json"), join(home, ".cursor"));
loadClaudeHooks();
await startServers(join(home, ".cursor", "mcp.json"));
for (const folder of listFlagValues("--plugin-dir")) await loadPlugin(folder);
const started = await fire("sessionStart", { session_id: conversation, is_background_agent: false });
for (const { output } of started) sessionEnv = { ...sessionEnv, ...output.env };
report({
  loaded: {
    conversation,
    notes,
    rules,
    hooks: hooks.map(({ event }) => event),
    tools: servers.map(({ tools }) => tools),
  },
});
let steps = Promise.resolve();
createInterface(control).on("line", (line) => {
  steps = steps.then(() => perform(JSON.parse(line))).then(() => report({ done: true }));
});
