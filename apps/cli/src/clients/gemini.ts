import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { homeFiles } from "../core/merkle-home.js";
import { toGeminiSystemSettings } from "../core/platform.js";
import { getEntryFile } from "../core/this-program.js";
import { toShellLine } from "../text/shell.js";
import type {
  Addition,
  Client,
  ClientEnvironment,
  FileAdditions,
  HookEvent,
  LaunchCall,
  LaunchedAgent,
  LaunchTarget,
} from "./client.js";
import { isAtLeast } from "./find-program.js";
import { isInstalled } from "./installed-hooks.js";
import { findFlagValue, findModel, toPeerEnvironment, toPeerServer } from "./launch-server.js";
import { type ServerProgram, withEnvironment } from "./server-program.js";
import { createWakeAbility, describeUnwakeable } from "./wake-ability.js";

/** The first version of Gemini CLI whose hooks have been verified to work as documented. */
const hooksVersionMin = "0.61.0";

/**
 * The Gemini CLI client. Its hooks are commands. An idle Gemini CLI cannot be woken at its own terminal, but as an
 * ACP agent, for which the launch is the terminal.
 */
export const gemini: Client = {
  name: "gemini",
  label: "Gemini CLI",
  program: "gemini",
  installAdvice: "npm install -g @google/gemini-cli",
  updateAdvice: "npm install -g @google/gemini-cli@latest",
  mcpName: "gemini-cli-mcp-client",
  hint: "Gemini CLI starts servers and runs hooks only in folders that you trust.",
  hasSocketHooks: true,
  getWakeAbility: createWakeAbility({
    since: hooksVersionMin,
    paths: ["hooks"],
    advice: `${describeUnwakeable("Gemini CLI")}; merkle launch --client acp -- gemini --acp wakes it`,
  }),
  configure,
  findResumeTarget(userArgs) {
    const target = findFlagValue(userArgs, "--resume", "-r");
    if (target === "latest") return "latest";
    // A number is an index into a list of sessions that changes at every start.
    return target?.includes("-") ? { id: target } : undefined;
  },
  resume: (id) => ["--resume", id],
  launch,
  deliver,
  openInbox: () => null,
};

/** Gemini CLI's names for hook events, each with Merkle's name. */
const events: readonly (readonly [string, HookEvent])[] = [
  ["BeforeAgent", "UserPromptSubmit"],
  ["AfterTool", "PostToolBatch"],
  ["AfterAgent", "Stop"],
];

function toHook(merkle: readonly string[], event: HookEvent) {
  const command = toShellLine([...merkle, "hook", "event", "gemini", event]);
  return { hooks: [{ type: "command", name: "merkle", command }] };
}

function getSettingsPath(): string {
  return join(homedir(), ".gemini", "settings.json");
}

function configure(merkle: ServerProgram, { version }: ClientEnvironment): FileAdditions[] {
  const { command, entry, env } = merkle;
  const server = { command, args: [...entry, ...merkle.serveArgs], env, trust: true };
  const hasHooks = version === undefined || isAtLeast(version, hooksVersionMin);
  const hooks = (hasHooks ? events : []).map(
    ([event, ours]): Addition => ({
      kind: "item",
      path: ["hooks", event],
      value: toHook(withEnvironment(merkle), ours),
    }),
  );
  return [
    {
      path: getSettingsPath(),
      format: "jsonc",
      additions: [{ kind: "member", path: ["mcpServers", "merkle"], value: server }, ...hooks],
    },
  ];
}

/** The administrator's settings for this machine, which a launch must not replace. */
const administratorSettings = toGeminiSystemSettings();

async function launch(target: LaunchTarget, agent: LaunchedAgent): Promise<LaunchCall> {
  const { userArgs, env } = agent;
  const file = join(homeFiles.launch(target.home), `${target.storedPeerId}.gemini.json`);
  const model = agent.model ?? findModel(userArgs) ?? findFlagValue(userArgs, "-m");
  const areHooksInstalled = await isInstalled(getSettingsPath(), "hook event gemini");
  const hooks = areHooksInstalled || !isAtLeast(agent.version, hooksVersionMin) ? [] : events;
  const merkle = [process.execPath, getEntryFile()];
  const settings = {
    mcpServers: { merkle: { ...toPeerServer(target, agent, model), trust: true } },
    hooks: Object.fromEntries(hooks.map(([event, ours]) => [event, [toHook(merkle, ours)]])),
  };
  // Puts the launch's settings in the system settings unless these are already in use. System settings
  // override the user's, so the launched Merkle server replaces an installed one.
  const isTaken = env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] !== undefined || existsSync(administratorSettings);
  const layer = isTaken ? "GEMINI_CLI_SYSTEM_DEFAULTS_PATH" : "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
  return {
    args: [...(agent.model === undefined ? [] : ["--model", agent.model]), ...userArgs],
    env: {
      ...toPeerEnvironment(target),
      [layer]: file,
    },
    files: [{ path: file, content: `${JSON.stringify(settings, null, 2)}\n` }],
  };
}

/**
 * Returns the hook output for Gemini CLI. When a hook blocks the end of a turn, its reason becomes the next
 * prompt.
 */
function deliver(event: HookEvent | "SessionStart", text: string): object {
  if (text === "") return {};
  if (event === "Stop") return { decision: "block", reason: text };
  const name = events.find(([, ours]) => ours === event)?.[0] ?? event;
  return { hookSpecificOutput: { hookEventName: name, additionalContext: text } };
}
