import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { usageError } from "../core/cli-error.js";
import { homeFiles } from "../core/merkle-home.js";
import { getEntryFile } from "../core/this-program.js";
import type {
  Client,
  ClientEnvironment,
  FileAdditions,
  LaunchCall,
  LaunchedAgent,
  LaunchTarget,
  ResumeTarget,
} from "./client.js";
import { isAtLeast } from "./find-program.js";
import { formatIntroduction } from "./introduction.js";
import { findFlagValue, findModel, toPeerEnvironment, toPeerServer } from "./launch-server.js";
import type { ServerProgram } from "./server-program.js";
import { createWakeAbility } from "./wake-ability.js";

/** The first version of OpenCode whose plugins have been verified to deliver messages and begin turns. */
const pluginVersionMin = "1.18.0";

/** The OpenCode client. Merkle's plugin runs in OpenCode's process, delivers messages and begins turns. */
export const opencode: Client = {
  name: "opencode",
  label: "OpenCode",
  program: "opencode",
  installAdvice: "npm install -g opencode-ai",
  updateAdvice: "npm install -g opencode-ai@latest",
  mcpName: "opencode",
  hint: undefined,
  hasSocketHooks: true,
  getWakeAbility: createWakeAbility({ since: pluginVersionMin, paths: ["inbox", "hooks"] }),
  configure,
  findResumeTarget,
  resume: (id) => ["--session", id],
  launch,
  // Merkle's plugin reads the plain text.
  deliver: (_event, text) => ({ text }),
  openInbox: ({ attached }) => attached,
};

/** Returns the URL of the plugin. OpenCode loads a plugin from a `file:` URL without copying it. */
function getPluginUrl(): string {
  return new URL("./opencode-plugin.js", import.meta.url).href;
}

function findConfigPath(env: NodeJS.ProcessEnv): string {
  const folder = join(env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "opencode");
  const withComments = join(folder, "opencode.jsonc");
  return existsSync(withComments) ? withComments : join(folder, "opencode.json");
}

function configure(merkle: ServerProgram, { env, version }: ClientEnvironment): FileAdditions[] {
  const { command, entry } = merkle;
  const server = {
    type: "local",
    command: [command, ...entry, ...merkle.serveArgs],
    environment: merkle.env,
  };
  const hasPlugin = version === undefined || isAtLeast(version, pluginVersionMin);
  return [
    {
      path: findConfigPath(env),
      format: "jsonc",
      additions: [
        { kind: "member", path: ["mcp", "merkle"], value: server },
        ...(hasPlugin ? [{ kind: "item" as const, path: ["plugin"], value: getPluginUrl() }] : []),
      ],
    },
  ];
}

function findResumeTarget(userArgs: readonly string[]): ResumeTarget | undefined {
  if (userArgs.includes("--continue") || userArgs.includes("-c")) return "latest";
  const id = findFlagValue(userArgs, "--session", "-s");
  return id === undefined ? undefined : { id };
}

/**
 * Returns how to launch OpenCode. All settings of the launch are in environment variables, which override the
 * user's files.
 */
async function launch(target: LaunchTarget, agent: LaunchedAgent): Promise<LaunchCall> {
  const { userArgs, env } = agent;
  const resumeTarget = findResumeTarget(userArgs);
  const { command, args, env: environment } = toPeerServer(target, agent, agent.model ?? findModel(userArgs));
  const userConfig = parseUserConfig(env["OPENCODE_CONFIG_CONTENT"]);
  const listIn = (name: string) => (Array.isArray(userConfig[name]) ? userConfig[name] : []);
  const introduction = join(homeFiles.launch(target.home), `${target.storedPeerId}.opencode.md`);
  const config = {
    ...userConfig,
    mcp: {
      ...Object(userConfig["mcp"]),
      merkle: { type: "local", command: [command, ...args], environment },
    },
    plugin: [...listIn("plugin"), ...(isAtLeast(agent.version, pluginVersionMin) ? [getPluginUrl()] : [])],
    instructions: [...listIn("instructions"), introduction],
  };
  return {
    args: [...userArgs, ...(agent.model === undefined ? [] : ["--model", agent.model])],
    env: {
      ...toPeerEnvironment(target),
      ...(agent.approvers.length > 0 && {
        MERKLE_APPROVAL_HOOK: JSON.stringify([
          ...[process.execPath, getEntryFile(), "hook", "approval"],
          ...agent.approvers,
        ]),
      }),
      ...(typeof resumeTarget === "object" && { MERKLE_CONVERSATION: resumeTarget.id }),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    },
    files: [
      {
        path: introduction,
        content: `${formatIntroduction({ session: target.slug, team: target.teamName, peer: target.peerName })}\n`,
      },
    ],
  };
}

function parseUserConfig(text: string | undefined): Readonly<Record<string, unknown>> {
  if (!text) return {};
  try {
    return { ...Object(JSON.parse(text)) };
  } catch {
    throw usageError("OPENCODE_CONFIG_CONTENT must contain a JSON object.");
  }
}
