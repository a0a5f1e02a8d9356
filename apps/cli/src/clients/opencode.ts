import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { reachVariables } from "../broker/reach.js";
import { usageError } from "../core/cli-error.js";
import type {
  Client,
  FileAdditions,
  FoundClient,
  LaunchCall,
  LaunchedAgent,
  LaunchPlace,
  Resumed,
  WakeAbility,
} from "./client.js";
import { isFrom } from "./find-program.js";
import { flagValue, modelIn, placeServer, toPeerVariables } from "./launch-server.js";
import type { ServerProgram } from "./server-program.js";

/** The OpenCode client. Merkle's plugin runs in OpenCode's process, delivers messages and begins turns. */
export const opencode: Client = {
  name: "opencode",
  label: "OpenCode",
  program: "opencode",
  installAdvice: "npm install -g opencode-ai",
  introducesAs: "opencode",
  hint: undefined,
  relaysPermissions: false,
  usesSocket: true,
  wakePathsOf,
  configure,
  resumedBy,
  resume: (id) => ["--session", id],
  launch,
  // Merkle's plugin reads the plain text.
  deliver: (_event, text) => ({ text }),
  openInbox: ({ attached }) => attached,
};

/** The first version of OpenCode whose plugins have been verified to deliver messages and begin turns. */
const pluginFrom = "1.18.0";

function wakePathsOf(version: string): WakeAbility {
  if (isFrom(version, pluginFrom)) return { paths: ["inbox", "hooks", "wait"], advice: undefined };
  return {
    paths: ["wait"],
    advice: `${version} can be woken only through a wait; inbox and hooks need ${pluginFrom}`,
  };
}

/** Returns the URL of the plugin. OpenCode loads a plugin from a `file:` URL without copying it. */
function plugin(): string {
  return new URL("./opencode-plugin.js", import.meta.url).href;
}

function configFile(env: NodeJS.ProcessEnv): string {
  const folder = join(env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "opencode");
  const withComments = join(folder, "opencode.jsonc");
  return existsSync(withComments) ? withComments : join(folder, "opencode.json");
}

function configure(merkle: ServerProgram, { env, version }: FoundClient): FileAdditions[] {
  const { command, entry } = merkle;
  const server = { type: "local", command: [command, ...entry, ...merkle.serve], environment: merkle.env };
  const hasPlugin = version === undefined || isFrom(version, pluginFrom);
  return [
    {
      path: configFile(env),
      format: "jsonc",
      additions: [
        { kind: "member", path: ["mcp", "merkle"], value: server },
        ...(hasPlugin ? [{ kind: "item" as const, path: ["plugin"], value: plugin() }] : []),
      ],
    },
  ];
}

function resumedBy(userArgs: readonly string[]): Resumed | undefined {
  if (userArgs.includes("--continue") || userArgs.includes("-c")) return "latest";
  const id = flagValue(userArgs, "--session", "-s");
  return id === undefined ? undefined : { id };
}

/**
 * Returns how to launch OpenCode. All settings of the launch are in environment variables, which override the
 * user's files.
 */
async function launch(place: LaunchPlace, agent: LaunchedAgent): Promise<LaunchCall> {
  const { userArgs, env } = agent;
  const resumed = resumedBy(userArgs);
  const { command, args, env: environment } = placeServer(place, agent, agent.model ?? modelIn(userArgs));
  const given = readGiven(env["OPENCODE_CONFIG_CONTENT"]);
  const plugins = Array.isArray(given["plugin"]) ? given["plugin"] : [];
  const config = {
    ...given,
    mcp: { ...Object(given["mcp"]), merkle: { type: "local", command: [command, ...args], environment } },
    plugin: isFrom(agent.version, pluginFrom) ? [...plugins, plugin()] : plugins,
  };
  return {
    args: [...userArgs, ...(agent.model === undefined ? [] : ["--model", agent.model])],
    env: {
      ...{
        MERKLE_HOME: place.home,
        MERKLE_URL: place.url,
        ...reachVariables(place),
        ...toPeerVariables(place),
      },
      ...(typeof resumed === "object" && { MERKLE_CONVERSATION: resumed.id }),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    },
    files: [],
  };
}

function readGiven(text: string | undefined): Readonly<Record<string, unknown>> {
  if (!text) return {};
  try {
    return { ...Object(JSON.parse(text)) };
  } catch {
    throw usageError("OPENCODE_CONFIG_CONTENT must contain a JSON object.");
  }
}
