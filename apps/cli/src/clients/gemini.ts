import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { reachVariables } from "../broker/reach.js";
import { homeFiles } from "../core/merkle-home.js";
import { geminiSystemSettings } from "../core/platform.js";
import { entryFile } from "../core/this-program.js";
import { toShellLine } from "../text/shell.js";
import type {
  Addition,
  Client,
  FileAdditions,
  FoundClient,
  HookEvent,
  LaunchCall,
  LaunchedAgent,
  LaunchPlace,
  WakeAbility,
} from "./client.js";
import { isFrom } from "./find-program.js";
import { isInstalled } from "./installed-hooks.js";
import { flagValue, modelIn, placeServer, toPeerVariables } from "./launch-server.js";
import { type ServerProgram, withEnvironment } from "./server-program.js";

/** The Gemini CLI client. Its hooks are commands. An idle Gemini CLI cannot be woken. */
export const gemini: Client = {
  name: "gemini",
  label: "Gemini CLI",
  program: "gemini",
  installAdvice: "npm install -g @google/gemini-cli",
  introducesAs: "gemini-cli-mcp-client",
  hint: "Gemini CLI starts servers and runs hooks only in folders that you trust.",
  relaysPermissions: false,
  usesSocket: true,
  wakePathsOf,
  configure,
  resumedBy(userArgs) {
    const wanted = flagValue(userArgs, "--resume", "-r");
    if (wanted === "latest") return "latest";
    // A number is an index into a list of sessions that changes at every start.
    return wanted?.includes("-") ? { id: wanted } : undefined;
  },
  resume: (id) => ["--resume", id],
  launch,
  deliver,
  openInbox: () => null,
};

/** The first version of Gemini CLI whose hooks have been verified to work as documented. */
const hooksFrom = "0.61.0";

function wakePathsOf(version: string): WakeAbility {
  const hooks = isFrom(version, hooksFrom);
  const idle = "an idle Gemini CLI cannot be woken: it reads at its next turn";
  return {
    paths: hooks ? ["hooks", "wait"] : ["wait"],
    advice: hooks ? idle : `${version} can be woken only through a wait; hooks need ${hooksFrom}`,
  };
}

/** Gemini CLI's names for hook events, each with Merkle's name. */
const events: readonly (readonly [string, HookEvent])[] = [
  ["BeforeAgent", "UserPromptSubmit"],
  ["AfterTool", "PostToolBatch"],
  ["AfterAgent", "Stop"],
];

function hookFor(merkle: readonly string[], event: HookEvent) {
  const command = toShellLine([...merkle, "hook", "event", "gemini", event]);
  return { hooks: [{ type: "command", name: "merkle", command }] };
}

function settingsFile(): string {
  return join(homedir(), ".gemini", "settings.json");
}

function configure(merkle: ServerProgram, { version }: FoundClient): FileAdditions[] {
  const { command, entry, env } = merkle;
  const server = { command, args: [...entry, ...merkle.serve], env, trust: true };
  const hasHooks = version === undefined || isFrom(version, hooksFrom);
  const hooks = (hasHooks ? events : []).map(
    ([event, ours]): Addition => ({
      kind: "item",
      path: ["hooks", event],
      value: hookFor(withEnvironment(merkle), ours),
    }),
  );
  return [
    {
      path: settingsFile(),
      format: "jsonc",
      additions: [{ kind: "member", path: ["mcpServers", "merkle"], value: server }, ...hooks],
    },
  ];
}

/** The administrator's settings for this machine, which a launch must not replace. */
const ofAdministrator = geminiSystemSettings();

async function launch(place: LaunchPlace, agent: LaunchedAgent): Promise<LaunchCall> {
  const { userArgs, env } = agent;
  const file = join(homeFiles.launch(place.home), `${place.placeId}.gemini.json`);
  const model = agent.model ?? modelIn(userArgs) ?? flagValue(userArgs, "-m");
  const isThere = await isInstalled(settingsFile(), "hook event gemini");
  const hooks = isThere || !isFrom(agent.version, hooksFrom) ? [] : events;
  const merkle = [process.execPath, entryFile()];
  const settings = {
    mcpServers: { merkle: { ...placeServer(place, agent, model), trust: true } },
    hooks: Object.fromEntries(hooks.map(([event, ours]) => [event, [hookFor(merkle, ours)]])),
  };
  // Puts the launch's settings in the system settings unless these are already in use. System settings
  // override the user's, so the launched Merkle server replaces an installed one.
  const isTaken = env["GEMINI_CLI_SYSTEM_SETTINGS_PATH"] !== undefined || existsSync(ofAdministrator);
  const layer = isTaken ? "GEMINI_CLI_SYSTEM_DEFAULTS_PATH" : "GEMINI_CLI_SYSTEM_SETTINGS_PATH";
  return {
    args: [...(agent.model === undefined ? [] : ["--model", agent.model]), ...userArgs],
    env: {
      ...{
        MERKLE_HOME: place.home,
        MERKLE_URL: place.url,
        ...reachVariables(place),
        ...toPeerVariables(place),
      },
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
