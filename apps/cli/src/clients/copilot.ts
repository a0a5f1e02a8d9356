import { homedir } from "node:os";
import { join } from "node:path";
import { homeFiles } from "../core/merkle-home.js";
import { getEntryFile } from "../core/this-program.js";
import { toShellLine } from "../text/shell.js";
import type {
  Client,
  ClientEnvironment,
  FileAdditions,
  HookEvent,
  LaunchCall,
  LaunchedAgent,
  LaunchTarget,
  ResumeTarget,
} from "./client.js";
import { isAtLeast } from "./find-program.js";
import { isInstalled } from "./installed-hooks.js";
import { findFlagValue, findModel, toPeerEnvironment, toPeerServer } from "./launch-server.js";
import { type ServerProgram, withEnvironment } from "./server-program.js";
import { createWakeAbility } from "./wake-ability.js";

/** The first version of Copilot whose hooks have been verified to work as documented. */
const hooksVersionMin = "1.0.102";

/**
 * The Copilot CLI client. Its hooks are commands. With its experimental features enabled, an extension can
 * begin turns.
 */
export const copilot: Client = {
  name: "copilot",
  label: "Copilot CLI",
  program: "copilot",
  installAdvice: "npm install -g @github/copilot",
  updateAdvice: "npm install -g @github/copilot@latest",
  mcpName: "copilot-cli",
  hint: "Copilot CLI starts servers and runs hooks only in folders that you trust.",
  hasSocketHooks: true,
  getWakeAbility: createWakeAbility({
    since: hooksVersionMin,
    paths: ["hooks"],
    advice:
      "an idle agent can be woken if merkle launched it and /experimental is on, which loads extensions",
  }),
  configure,
  findResumeTarget,
  resume: (id) => [`--resume=${id}`],
  launch,
  deliver: (event, text) => {
    if (text === "") return {};
    return event === "Stop" ? { decision: "block", reason: text } : { additionalContext: text };
  },
  openInbox: ({ attached }) => attached,
};

/** Copilot's names for hook events, each with Merkle's name. */
const events: readonly (readonly [string, HookEvent | "SessionStart"])[] = [
  ["sessionStart", "SessionStart"],
  ["userPromptSubmitted", "UserPromptSubmit"],
  ["postToolUse", "PostToolBatch"],
  ["postToolUseFailure", "PostToolBatch"],
  ["agentStop", "Stop"],
];

function toHookConfig(merkle: readonly string[]) {
  const hooks = events.map(([event, ours]) => {
    const bash = toShellLine([...merkle, "hook", "event", "copilot", ours]);
    return [event, [{ type: "command", bash, timeoutSec: 10 }]] as const;
  });
  return { version: 1, hooks: Object.fromEntries(hooks) };
}

function toConfigFolder(env: NodeJS.ProcessEnv): string {
  return env["COPILOT_HOME"] || join(homedir(), ".copilot");
}

function toHooksPath(env: NodeJS.ProcessEnv): string {
  return join(toConfigFolder(env), "hooks", "merkle.json");
}

function configure(merkle: ServerProgram, { env, version }: ClientEnvironment): FileAdditions[] {
  const { command, entry } = merkle;
  const server = {
    type: "local",
    command,
    args: [...entry, ...merkle.serveArgs],
    env: merkle.env,
    tools: ["*"],
  };
  const hooks = toHookConfig(withEnvironment(merkle));
  const hasHooks = version === undefined || isAtLeast(version, hooksVersionMin);
  return [
    {
      path: join(toConfigFolder(env), "mcp-config.json"),
      format: "jsonc",
      additions: [{ kind: "member", path: ["mcpServers", "merkle"], value: server }],
    },
    ...(hasHooks
      ? [
          {
            path: toHooksPath(env),
            format: "json" as const,
            additions: [
              { kind: "member" as const, path: ["hooks"], value: hooks.hooks },
              { kind: "member" as const, path: ["version"], value: hooks.version },
            ],
          },
        ]
      : []),
  ];
}

function findResumeTarget(userArgs: readonly string[]): ResumeTarget | undefined {
  if (userArgs.includes("--continue")) return "latest";
  const id = findFlagValue(userArgs, "--resume", "--session-id", "-r");
  return id === undefined || id.startsWith("-") ? undefined : { id };
}

/**
 * Returns how to launch Copilot. Everything that the launch adds is in a separate plugin, so the user's own
 * files remain unchanged.
 */
async function launch(target: LaunchTarget, agent: LaunchedAgent): Promise<LaunchCall> {
  const { userArgs, env } = agent;
  const folder = join(homeFiles.launch(target.home), `${target.storedPeerId}.copilot`);
  const server = toPeerServer(target, agent, agent.model ?? findModel(userArgs));
  const areHooksInstalled = await isInstalled(toHooksPath(env), "hook event copilot");
  const hasHooks = !areHooksInstalled && isAtLeast(agent.version, hooksVersionMin);
  const plugin = {
    ...{ name: "merkle", version: "1.0.0", description: "Merkle, for this launch", mcpServers: ".mcp.json" },
    ...(hasHooks && { hooks: "hooks.json" }),
  };
  const file = (name: string, content: unknown) => ({
    path: join(folder, name),
    content: typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`,
  });
  return {
    args: [
      ...["--plugin-dir", folder, "--allow-tool=merkle"],
      ...(agent.model === undefined ? [] : [`--model=${agent.model}`]),
      ...userArgs,
    ],
    env: toPeerEnvironment(target),
    files: [
      file("plugin.json", plugin),
      file(".mcp.json", { mcpServers: { merkle: { type: "local", ...server, tools: ["*"] } } }),
      ...(hasHooks ? [file("hooks.json", toHookConfig([process.execPath, getEntryFile()]))] : []),
      file("extensions/merkle/extension.mjs", buildExtensionSource()),
    ],
  };
}

/**
 * Returns the code of the extension. Copilot lets only this file join its session, so the file imports the
 * rest from Merkle.
 */
function buildExtensionSource(): string {
  const socket = new URL("./client-socket.js", import.meta.url).href;
  return `import { joinSession } from "@github/copilot-sdk/extension";
import { attach } from ${JSON.stringify(socket)};

const session = await joinSession({});
attach((line) => session.send({ prompt: line }));
`;
}
