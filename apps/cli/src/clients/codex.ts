import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { homeFiles } from "../core/merkle-home.js";
import { isPosix } from "../core/platform.js";
import { getEntryFile } from "../core/this-program.js";
import { toShellLine } from "../text/shell.js";
import type {
  Addition,
  Client,
  ClientEnvironment,
  ClientInbox,
  FileAdditions,
  HookEvent,
  InboxContext,
  LaunchCall,
  LaunchedAgent,
  LaunchTarget,
  NamedCaller,
  ResumeTarget,
} from "./client.js";
import { isTurnRunning, reloadServers, startTurn } from "./codex-app-server.js";
import { relayCodexPermissions } from "./codex-approvals.js";
import { toCodexFolder } from "./codex-paths.js";
import { codexTranscript } from "./codex-transcript.js";
import { codexUsage } from "./codex-usage.js";
import { isAtLeast } from "./find-program.js";
import { isInstalled } from "./installed-hooks.js";
import { findFlagValue, toPeerEnvironment, toPeerServer } from "./launch-server.js";
import type { ServerProgram } from "./server-program.js";
import { createWakeAbility } from "./wake-ability.js";

/** The first version of Codex whose hooks have been verified to call a server's tool. */
const hooksVersionMin = "0.169.0";

/**
 * The Codex client. Its hooks call a tool of the MCP server. A launched Codex is a terminal connected to its
 * own app server, which can begin a turn immediately. If Codex was started in another way, lines are queued
 * for the thread, and Codex polls the queue every ten seconds.
 */
export const codex: Client = {
  name: "codex",
  label: "Codex",
  program: "codex",
  installAdvice: "npm install -g @openai/codex",
  updateAdvice: "npm install -g @openai/codex@latest",
  mcpName: "codex-mcp-client",
  hint: "The next time it starts, Codex asks whether to trust the new hooks. Until then, only check_messages delivers messages.",
  hasSocketHooks: false,
  getWakeAbility: createWakeAbility({ since: hooksVersionMin, paths: ["inbox", "hooks"] }),
  configure,
  findResumeTarget,
  resume: (id) => ["resume", id],
  launch,
  deliver,
  parseCaller,
  listEditedFiles,
  usage: codexUsage,
  transcript: codexTranscript,
  restartServer: (peer) => reloadServers(toSocketPath(peer)),
  openInbox,
  relayPermissions: relayCodexPermissions,
};

/** Codex's names for hook events, each with Merkle's name. */
const events: readonly (readonly [string, HookEvent])[] = [
  ["UserPromptSubmit", "UserPromptSubmit"],
  ["PreToolUse", "PreToolUse"],
  ["PostToolUse", "PostToolBatch"],
  ["Stop", "Stop"],
];

/**
 * Returns the hook for an event. Codex replaces the placeholders in it, and a placeholder unknown to Codex
 * would make the hook fail.
 */
function toHook(event: HookEvent) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: Codex fills these in
  const input = { client: "codex", event, session_id: "${session_id}", prompt_id: "${turn_id}" };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
  const editFields = { cwd: "${cwd}", patch: "${tool_input.command}" };
  const isEdit = event === "PreToolUse";
  const hook = {
    type: "mcp_tool",
    server: "merkle",
    tool: "hook",
    input: isEdit ? { ...input, ...editFields } : input,
  };
  return { ...(isEdit && { matcher: "apply_patch|Bash" }), hooks: [hook] };
}

/**
 * Returns the hook that introduces the model to its session. It is a command, because Codex may send a first
 * prompt before the server is connected.
 */
function sessionStartHook() {
  const command = toShellLine([
    ...[process.execPath, getEntryFile()],
    ...["hook", "event", "codex", "SessionStart"],
  ]);
  return { hooks: [{ type: "command", command }] };
}

const fileNamePattern = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

/**
 * Returns the files that a patch edits. Codex edits through patches, which can also be in a shell command.
 */
function listEditedFiles({ cwd, patch }: Readonly<Record<string, unknown>>): readonly string[] {
  if (typeof patch !== "string" || !patch.includes("*** Begin Patch")) return [];
  const folder = typeof cwd === "string" ? cwd : "";
  return [...patch.matchAll(fileNamePattern)].map(([, path = ""]) => resolve(folder, path.trim()));
}

/** Returns the variables that the MCP server needs, because Codex passes on little of its own environment. */
function toServerVariables(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const home = env["CODEX_HOME"];
  return home ? { CODEX_HOME: home } : {};
}

function configure(merkle: ServerProgram, { env, version }: ClientEnvironment): FileAdditions[] {
  const server = {
    command: merkle.command,
    args: [...merkle.entry, ...merkle.serveArgs],
    env: { ...merkle.env, ...toServerVariables(env) },
    default_tools_approval_mode: "approve",
  };
  const table = ["mcp_servers", "merkle"];
  const hooks = events.map(
    ([event, ours]): Addition => ({ kind: "item", path: ["hooks", event], value: toHook(ours) }),
  );
  const hasHooks = version === undefined || isAtLeast(version, hooksVersionMin);
  return [
    {
      path: join(toCodexFolder(env), "config.toml"),
      format: "toml",
      additions: [{ kind: "table", path: table, value: toTable(table, server) }],
    },
    ...(hasHooks
      ? [{ path: join(toCodexFolder(env), "hooks.json"), format: "json" as const, additions: hooks }]
      : []),
  ];
}

/** Formats a TOML table. Exported for the snippets that users paste. */
export function toTable(path: readonly string[], value: object): string {
  const lines = Object.entries(value).map(([name, each]) => `${name} = ${toToml(each)}\n`);
  return `[${path.join(".")}]\n${lines.join("")}`;
}

/**
 * Formats a TOML value. Basic strings in TOML have JSON's syntax, and inline tables also work as values of
 * `-c`.
 */
function toToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toToml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, each]) => `${name} = ${toToml(each)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

function findResumeTarget([command, ...args]: readonly string[]): ResumeTarget | undefined {
  if (command !== "resume") return undefined;
  if (args.includes("--last")) return "latest";
  const [id] = args;
  return id === undefined || id.startsWith("-") ? undefined : { id };
}

/** Codex subcommands that run without a terminal or do not run an agent. */
const headlessCommands: ReadonlySet<string | undefined> = new Set(["exec", "e", "review"]);

/** Returns the path of the socket on which a launched Codex's app server listens. */
function toSocketPath({ home, storedPeerId }: Pick<LaunchTarget, "home" | "storedPeerId">): string {
  return join(homeFiles.launch(home), `${storedPeerId}.codex`);
}

async function launch(target: LaunchTarget, agent: LaunchedAgent): Promise<LaunchCall> {
  const { userArgs, env } = agent;
  const socketPath = toSocketPath(target);
  const hasTerminal = !headlessCommands.has(userArgs[0]) && isPosix();
  const resumeTarget = findResumeTarget(userArgs);
  const {
    command,
    args,
    env: serverEnv,
  } = toPeerServer(target, agent, agent.model ?? findFlagValue(userArgs, "-m"));
  const server = {
    command,
    args,
    env: {
      ...serverEnv,
      ...toServerVariables(env),
      ...(hasTerminal && { MERKLE_CODEX_SERVER: socketPath }),
      ...(typeof resumeTarget === "object" && { MERKLE_CONVERSATION: resumeTarget.id }),
    },
    default_tools_approval_mode: "approve",
  };
  const areHooksInstalled = await isInstalled(join(toCodexFolder(env), "hooks.json"), '"client": "codex"');
  const hasHooks = isAtLeast(agent.version, hooksVersionMin);
  const hooks = areHooksInstalled || !hasHooks ? [] : events;
  const configuration = [
    ...Object.entries(server).flatMap(([name, value]) => [
      "-c",
      `mcp_servers.merkle.${name}=${toToml(value)}`,
    ]),
    ...hooks.flatMap(([event, ours]) => ["-c", `hooks.${event}=${toToml([toHook(ours)])}`]),
    ...(hasHooks ? ["-c", `hooks.SessionStart=${toToml([sessionStartHook()])}`] : []),
    ...(agent.model === undefined ? [] : ["-c", `model=${toToml(agent.model)}`]),
  ];
  const fallbackArgs = [...configuration, ...userArgs];
  return {
    args: hasTerminal ? [...configuration, "--remote", `unix://${socketPath}`, ...userArgs] : fallbackArgs,
    env: toPeerEnvironment(target),
    files: [],
    ...(hasTerminal && {
      companion: {
        args: ["app-server", "--listen", `unix://${socketPath}`, ...configuration],
        socket: socketPath,
        fallbackArgs,
      },
    }),
  };
}

/** Returns the hook output for Codex. When a hook blocks Stop, its reason becomes Codex's next prompt. */
function deliver(event: HookEvent | "SessionStart", text: string): object {
  if (text === "") return {};
  if (event === "Stop") return { decision: "block", reason: text };
  const name = events.find(([, ours]) => ours === event)?.[0] ?? event;
  return { hookSpecificOutput: { hookEventName: name, additionalContext: text } };
}

/**
 * Returns the caller of a tool. A subagent has its own thread, in the session of the thread that started it.
 */
function parseCaller(meta: unknown, session?: string): NamedCaller {
  const { threadId: thread, sessionId = session } = Object(meta);
  if (typeof thread !== "string") return {};
  if (typeof sessionId !== "string" || sessionId === thread) return { conversation: thread };
  return { conversation: sessionId, subagent: thread };
}

function openInbox({ env, findConversation }: InboxContext): ClientInbox {
  const server = env["MERKLE_CODEX_SERVER"];
  return {
    get isConnected() {
      return server !== undefined || findConversation() !== undefined;
    },
    async post({ line }) {
      const thread = findConversation();
      if (server !== undefined) return startTurn(server, thread, line);
      if (thread === undefined)
        throw new Error("Codex has not reported its thread yet, so it cannot be woken.");
      await promisify(execFile)("codex", ["queue", "--thread", thread, "--message", line], {
        timeout: 10_000,
      });
    },
    // A Codex that was started in another way does not report its turns, and queues lines until they end.
    isBusy: async () =>
      server !== undefined && (await isTurnRunning(server, findConversation()).catch(() => false)),
  };
}
