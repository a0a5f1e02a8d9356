import { execFile, spawn } from "node:child_process";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { expect, inject, vi } from "vitest";
import type { Cleanup } from "../../kit/test-database.js";
import type { TestNetwork } from "../../kit/two-machines.js";
import { type Machine, makeMachine } from "./machine.js";
import type { Mesh } from "./mesh.js";
import { endTree, killProcess, listTree, type RunningProcess } from "./processes.js";
import { relayInto } from "./relay.js";
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from "./scripted-model.js";
import { openTerminal, type Program, type Terminal } from "./terminal.js";

export interface AgentOptions {
  readonly mesh: Pick<Mesh, "slug" | "url" | "findPeer">;
  readonly team: string;
  /** The peer's name. Default: the name that `merkle launch` chooses. */
  readonly name?: string;
  readonly launchArgs?: readonly string[];
  readonly claudeArgs?: readonly string[];
  /** The agent's machine. Default: a new machine. */
  readonly machine?: Machine;
  /** The broker's address as seen from the agent's machine, if different. */
  readonly brokerUrl?: string;
  /**
   * The network of the agent's machine. Default: the test's own. `socket` is a file through which programs in that
   * network reach the model.
   */
  readonly network?: TestNetwork & { readonly socket: string };
  /** Chooses the model's replies. Default: the model follows its prompts. */
  readonly decide?: ScriptedModelOptions["decide"];
}

/** A Claude Code process that `merkle launch` has started. */
export interface LaunchedAgent {
  readonly team: string;
  readonly name: string | undefined;
  readonly machine: Machine;
  readonly model: ScriptedModel;
  /** Enters a prompt as a user would. Resolves when the model has received the prompt. */
  prompt(text: string): Promise<void>;
  /** Resolves when the agent is idle. */
  rests(): Promise<void>;
  /** Returns the current processes of `merkle launch`, the client and the MCP server. */
  processes(): Promise<{ launch: RunningProcess; claude: RunningProcess; server: RunningProcess }>;
  /** Kills the client, whether or not its MCP server is running. */
  killClient(): Promise<void>;
}

export interface InteractiveAgent extends LaunchedAgent {
  readonly terminal: Terminal;
  /** Ends the agent as a user would. */
  exit(): Promise<void>;
}

/** Starts an agent at a terminal. Resolves when the agent has joined the session and accepts prompts. */
export async function startAgent(options: AgentOptions, cleanup: Cleanup): Promise<InteractiveAgent> {
  const { program, ...launched } = await prepare(options, cleanup);
  const terminal = await openTerminal(program, cleanup);
  await isConnected(options.mesh, launched, terminal.readScreen);
  await terminal.untilShown("❯");
  return { ...launched, ...atTerminal(terminal, launched.model), ...atProcess(terminal.pid) };
}

function atTerminal(terminal: Terminal, model: ScriptedModel) {
  return {
    terminal,
    prompt: (text: string) => untilShown(model, text, () => terminal.enter(text)),
    async rests() {
      await model.rests();
      await expect.poll(terminal.readScreen).not.toContain("esc to interrupt");
    },
    async exit() {
      await terminal.enter("/exit");
      await terminal.ended;
    },
  };
}

/** Starts Claude Code as a user would after `merkle install`, and makes it join the session. */
export async function startInstalled(
  { mesh, team, machine }: Pick<AgentOptions, "mesh" | "team"> & { readonly machine: Machine },
  cleanup: Cleanup,
): Promise<
  Omit<InteractiveAgent, "processes" | "killClient"> & { processes(): Promise<{ server: RunningProcess }> }
> {
  const model = await startScriptedModel(cleanup);
  const variables = machine.env({ modelUrl: model.url, brokerUrl: mesh.url });
  const env = { ...variables, PATH: `${dirname(inject("claude"))}:${variables["PATH"]}` };
  const at = { cwd: machine.project, env };
  await promisify(execFile)(process.execPath, [inject("program"), "install", "--yes"], at);
  const terminal = await openTerminal({ command: [inject("claude"), ...allowed], ...at }, cleanup);
  await terminal.untilShown("❯");
  const agent = { ...{ team, name: undefined, machine, model }, ...atTerminal(terminal, model) };
  const where = JSON.stringify({ session_id: mesh.slug, team_name: team, peer_name: "atlas" });
  await agent.prompt(`call mcp__merkle__join_session ${where} then say joined`);
  await agent.rests();
  return {
    ...agent,
    processes: () =>
      vi.waitFor(
        async () => {
          const server = (await listTree(terminal.pid)).find(({ call }) => / mcp$/.test(call));
          if (!server) throw new Error("No server runs.");
          return { server };
        },
        { timeout: 60_000, interval: 200 },
      ),
  };
}

/** Starts an agent without a terminal, which reads its prompts from stdin. Resolves when the agent has joined the session. */
export async function startPrinted(options: AgentOptions, cleanup: Cleanup): Promise<LaunchedAgent> {
  const streams = ["--input-format=stream-json", "--output-format=stream-json", "--verbose"];
  const claudeArgs = ["-p", ...streams, ...(options.claudeArgs ?? [])];
  const { program, ...launched } = await prepare({ ...options, claudeArgs }, cleanup);
  const [file = "", ...args] = program.command;
  const child = spawn(file, args, { cwd: program.cwd, env: program.env, stdio: ["pipe", "pipe", "pipe"] });
  const { pid = 0 } = child;
  cleanup(() => endTree(pid));
  let prompts = 0;
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // A killed process no longer reads its stdin.
  child.stdin.on("error", () => undefined);
  await isConnected(options.mesh, launched, async () => stdout + stderr);
  return {
    ...launched,
    ...atProcess(pid),
    prompt: (text) =>
      untilShown(launched.model, text, async () => {
        prompts += 1;
        const message = { role: "user", content: [{ type: "text", text }] };
        child.stdin.write(`${JSON.stringify({ type: "user", message })}\n`);
      }),
    async rests() {
      await launched.model.rests();
      await expect.poll(() => stdout.split('"type":"result"').length).toBeGreaterThan(prompts);
    },
  };
}

/** Restarts the MCP server with /mcp. At a terminal, Claude Code restarts a dead server only on request. */
export async function reconnect({
  terminal,
  processes,
  rests,
}: Pick<InteractiveAgent, "terminal" | "rests"> & { processes(): Promise<unknown> }): Promise<void> {
  await rests();
  await terminal.enter("/mcp");
  await terminal.untilShown("Enter to view");
  await terminal.press("Enter");
  await terminal.untilShown(/Reconnect\b/);
  await terminal.press("Enter");
  // Checks the processes, because the client's report is unreliable: the client reports the reconnection only if no
  // turn begins immediately, and the report may scroll out of view.
  await processes();
  await expect.poll(async () => (await terminal.readScreen()).split("❯").at(-1)).toMatch(/^\s*\n─/);
}

async function untilShown(model: ScriptedModel, text: string, give: () => Promise<void>): Promise<void> {
  const from = model.requests.length;
  await give();
  await model.waitFor(text, { from });
}

/**
 * Allows the other tools that the tests use, so the client does not ask for permission. Auto mode would ask a server
 * that does not exist here.
 */
const allowed = ["--permission-mode=acceptEdits", "--allowedTools=Bash", "--allowedTools=Agent"];

async function prepare(options: AgentOptions, cleanup: Cleanup) {
  const { mesh, team, name, launchArgs = [], claudeArgs = [] } = options;
  const machine = options.machine ?? (await makeMachine(cleanup));
  const { network, decide } = options;
  const model = await startScriptedModel(cleanup, decide && { decide });
  if (network)
    await relayInto(network, { port: Number(new URL(model.url).port), path: network.socket }, cleanup);
  const where = ["--session", mesh.slug, "--team", team, ...(name === undefined ? [] : ["--name", name])];
  const program: Program = {
    command: [
      ...[...(network?.enter ?? []), process.execPath, inject("program"), "launch", ...where, ...launchArgs],
      ...["--yes", "--claude-bin", inject("claude"), "--", ...allowed, ...claudeArgs],
    ],
    cwd: machine.project,
    env: machine.env({ modelUrl: model.url, brokerUrl: options.brokerUrl ?? mesh.url }),
  };
  return { program, team, name, machine, model };
}

async function isConnected(
  mesh: AgentOptions["mesh"],
  { team, name }: Pick<LaunchedAgent, "team" | "name">,
  said: () => Promise<string>,
): Promise<void> {
  try {
    await expect.poll(async () => (await mesh.findPeer(team, name))?.connected).toBe(true);
  } catch (cause) {
    throw new Error(`${team}/${name ?? ""} did not come:\n${await said()}`, { cause });
  }
}

function atProcess(pid: number) {
  return {
    /**
     * Waits until all processes are running. The agent may appear in the session before its MCP server starts, because
     * `merkle launch` represents the agent until then.
     */
    processes: () => vi.waitFor(() => readProcesses(pid), { timeout: 60_000, interval: 200 }),
    async killClient() {
      const { claude } = findProcesses(await listTree(pid));
      if (claude) await killProcess(claude.pid);
    },
  };
}

async function readProcesses(pid: number) {
  const tree = await listTree(pid);
  const { launch, claude, server } = findProcesses(tree);
  if (!launch || !claude || !server)
    throw new Error(`Not all of an agent runs:\n${tree.map(({ call }) => call).join("\n")}`);
  return { launch, claude, server };
}

function findProcesses(tree: readonly RunningProcess[]) {
  const launch = tree.find(({ call }) => / launch /.test(call));
  const claude = tree.find(({ parent }) => parent === launch?.pid);
  const server = tree.find(({ parent, call }) => parent === claude?.pid && / mcp --as /.test(call));
  return { launch, claude, server };
}
