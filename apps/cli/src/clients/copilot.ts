import { homedir } from "node:os";
import { join } from "node:path";
import { reachVariables } from "../broker/reach.js";
import { homeFiles } from "../core/merkle-home.js";
import { entryFile } from "../core/this-program.js";
import { toShellLine } from "../text/shell.js";
import type {
  Client,
  FileAdditions,
  FoundClient,
  HookEvent,
  LaunchCall,
  LaunchedAgent,
  LaunchPlace,
  Resumed,
  WakeAbility,
} from "./client.js";
import { isFrom } from "./find-program.js";
import { isInstalled } from "./installed-hooks.js";
import { flagValue, modelIn, placeServer, toPeerVariables } from "./launch-server.js";
import { type ServerProgram, withEnvironment } from "./server-program.js";

/**
 * The Copilot CLI client. Its hooks are commands. With its experimental features enabled, an extension can
 * begin turns.
 */
export const copilot: Client = {
  name: "copilot",
  label: "Copilot CLI",
  program: "copilot",
  installAdvice: "npm install -g @github/copilot",
  introducesAs: "copilot-cli",
  hint: "Copilot CLI starts servers and runs hooks only in folders that you trust.",
  relaysPermissions: false,
  usesSocket: true,
  wakePathsOf,
  configure,
  resumedBy,
  resume: (id) => [`--resume=${id}`],
  launch,
  deliver: (event, text) => {
    if (text === "") return {};
    return event === "Stop" ? { decision: "block", reason: text } : { additionalContext: text };
  },
  openInbox: ({ attached }) => attached,
};

/** The first version of Copilot whose hooks have been verified to work as documented. */
const hooksFrom = "1.0.102";

function wakePathsOf(version: string): WakeAbility {
  const hooks = isFrom(version, hooksFrom);
  const idle =
    "an idle agent can be woken if merkle launched it and /experimental is on, which loads extensions";
  return {
    paths: hooks ? ["hooks", "wait"] : ["wait"],
    advice: hooks ? idle : `${version} can be woken only through a wait; hooks need ${hooksFrom}`,
  };
}

/** Copilot's names for hook events, each with Merkle's name. */
const events: readonly (readonly [string, HookEvent | "SessionStart"])[] = [
  ["sessionStart", "SessionStart"],
  ["userPromptSubmitted", "UserPromptSubmit"],
  ["postToolUse", "PostToolBatch"],
  ["postToolUseFailure", "PostToolBatch"],
  ["agentStop", "Stop"],
];

function hooksOf(merkle: readonly string[]) {
  const hooks = events.map(([event, ours]) => {
    const bash = toShellLine([...merkle, "hook", "event", "copilot", ours]);
    return [event, [{ type: "command", bash, timeoutSec: 10 }]] as const;
  });
  return { version: 1, hooks: Object.fromEntries(hooks) };
}

function folderOf(env: NodeJS.ProcessEnv): string {
  return env["COPILOT_HOME"] || join(homedir(), ".copilot");
}

function hooksFile(env: NodeJS.ProcessEnv): string {
  return join(folderOf(env), "hooks", "merkle.json");
}

function configure(merkle: ServerProgram, { env, version }: FoundClient): FileAdditions[] {
  const { command, entry } = merkle;
  const server = { type: "local", command, args: [...entry, ...merkle.serve], env: merkle.env, tools: ["*"] };
  const hooks = hooksOf(withEnvironment(merkle));
  const hasHooks = version === undefined || isFrom(version, hooksFrom);
  return [
    {
      path: join(folderOf(env), "mcp-config.json"),
      format: "jsonc",
      additions: [{ kind: "member", path: ["mcpServers", "merkle"], value: server }],
    },
    ...(hasHooks
      ? [
          {
            path: hooksFile(env),
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

function resumedBy(userArgs: readonly string[]): Resumed | undefined {
  if (userArgs.includes("--continue")) return "latest";
  const id = flagValue(userArgs, "--resume", "--session-id", "-r");
  return id === undefined || id.startsWith("-") ? undefined : { id };
}

/**
 * Returns how to launch Copilot. Everything that the launch adds is in a separate plugin, so the user's own
 * files remain unchanged.
 */
async function launch(place: LaunchPlace, agent: LaunchedAgent): Promise<LaunchCall> {
  const { userArgs, env } = agent;
  const folder = join(homeFiles.launch(place.home), `${place.placeId}.copilot`);
  const server = placeServer(place, agent, agent.model ?? modelIn(userArgs));
  const isThere = await isInstalled(hooksFile(env), "hook event copilot");
  const hasHooks = !isThere && isFrom(agent.version, hooksFrom);
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
    env: {
      MERKLE_HOME: place.home,
      MERKLE_URL: place.url,
      ...reachVariables(place),
      ...toPeerVariables(place),
    },
    files: [
      file("plugin.json", plugin),
      file(".mcp.json", { mcpServers: { merkle: { type: "local", ...server, tools: ["*"] } } }),
      ...(hasHooks ? [file("hooks.json", hooksOf([process.execPath, entryFile()]))] : []),
      file("extensions/merkle/extension.mjs", extension()),
    ],
  };
}

/**
 * Returns the code of the extension. Copilot lets only this file join its session, so the file imports the
 * rest from Merkle.
 */
function extension(): string {
  const socket = new URL("./client-socket.js", import.meta.url).href;
  return `import { joinSession } from "@github/copilot-sdk/extension";
import { attach } from ${JSON.stringify(socket)};

const session = await joinSession({});
attach((line) => session.send({ prompt: line }));
`;
}
