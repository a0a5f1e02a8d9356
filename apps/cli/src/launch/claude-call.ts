import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Reach, reachVariables } from "../broker/reach.js";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { entryFile } from "../core/this-program.js";
import { placeIdOf, type StoredPeer } from "../sessions/stored-peers.js";
import type { AgentOptions } from "./launch-options.js";

/** Where a launched agent belongs. */
interface Place extends Reach {
  /** The broker's base. */
  readonly url: string;
  readonly team: Pick<StoredPeer, "slug" | "team_id" | "team_name" | "peer_id">;
}

interface Agent extends AgentOptions {
  /** What stands after `--`, without `--settings`: of several of those Claude Code takes one alone, which is ours. */
  readonly userArgs: readonly string[];
}

/** How Claude Code is run: everything but the program itself. No secret is in it (LAUNCH-6). */
interface ClaudeCall {
  readonly args: readonly string[];
  /** What its environment has besides the user's own. */
  readonly env: Readonly<Record<string, string>>;
  readonly configFile: string;
  readonly config: McpConfig;
  readonly settingsFile: string;
}

interface McpConfig {
  readonly mcpServers: {
    readonly merkle: {
      readonly type: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly alwaysLoad: true;
    };
  };
}

/**
 * The call for an agent in this place. Some flags take any number of values, so that a prompt after them would be taken
 * for one more; written with `=` they take just their own, and those that the user adds come on top (LAUNCH-6).
 */
export function toClaudeCall({ url, team, ...reach }: Place, agent: Agent): ClaudeCall {
  const { home } = reach;
  const placeId = placeIdOf(team);
  const configFile = join(homeFiles.launch(home), `${placeId}.json`);
  const settingsFile = join(homeFiles.launch(home), `${placeId}.settings.json`);
  const merkle = { MERKLE_HOME: home, MERKLE_URL: url, ...reachVariables(reach) };
  const model = agent.model ?? modelIn(agent.userArgs);
  return {
    args: [
      `--mcp-config=${configFile}`,
      `--settings=${settingsFile}`,
      "--allowedTools=mcp__merkle",
      ...(agent.model === undefined ? [] : [`--model=${agent.model}`]),
      ...(agent.channel ? ["--dangerously-load-development-channels=server:merkle"] : []),
      ...agent.userArgs,
    ],
    env: { ...merkle, MERKLE_SESSION: team.slug, MERKLE_TEAM: team.team_name, MERKLE_PEER: placeId },
    configFile,
    config: {
      mcpServers: {
        merkle: {
          type: "stdio",
          command: process.execPath,
          args: [entryFile(), "mcp", "--as", placeId, ...serverFlags(agent)],
          env: { ...merkle, ...(model !== undefined && { MERKLE_MODEL: model }) },
          alwaysLoad: true,
        },
      },
    },
    settingsFile,
  };
}

/** The model that the user asks claude for: list_peers shows it. */
function modelIn(userArgs: readonly string[]): string | undefined {
  const last = userArgs.findLastIndex((each) => each === "--model" || each.startsWith("--model="));
  const flag = userArgs[last];
  return flag === "--model" ? userArgs[last + 1] : flag?.slice("--model=".length);
}

function serverFlags({ tools, channel, interruptible }: AgentOptions): string[] {
  return [
    ...(tools === undefined ? [] : ["--tools", tools]),
    ...(channel ? ["--channel"] : []),
    ...(interruptible ? ["--interruptible"] : []),
  ];
}

/**
 * Writes the files that the call names, for this user's eyes alone: the user's own settings may hold a secret. Returns
 * how to remove them.
 *
 * @param settings - the call's, with those that the user gave
 */
export async function writeLaunchFiles(
  home: string,
  { configFile, config, settingsFile }: ClaudeCall,
  settings: Readonly<Record<string, unknown>>,
): Promise<() => Promise<void>> {
  const remove = async () => {
    for (const path of [configFile, settingsFile]) await rm(path, { force: true });
  };
  try {
    await explainingHome(home, async () => {
      await mkdir(homeFiles.launch(home), { recursive: true, mode: 0o700 });
      await writeWhole(configFile, config);
      await writeWhole(settingsFile, settings);
    });
    return remove;
  } catch (error) {
    await remove();
    throw error;
  }
}

async function writeWhole(path: string, content: unknown): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/**
 * What Claude Code tells the processes that it starts. A Claude Code launched by one of them would take itself for a part
 * of that session. What users set themselves, such as `CLAUDE_CONFIG_DIR`, is not among it.
 */
const ofOuterSession: ReadonlySet<string> = new Set([
  "AI_AGENT",
  "CLAUDECODE",
  "CLAUDE_CODE_CHILD_SESSION",
  "CLAUDE_CODE_ENTRYPOINT",
  "CLAUDE_CODE_MESSAGING_SOCKET",
  "CLAUDE_CODE_MESSAGING_TOKEN",
  "CLAUDE_CODE_SESSION_ATTENDED",
  "CLAUDE_CODE_SESSION_ID",
  "CLAUDE_ENV_FILE",
  "CLAUDE_PID",
  "CLAUDE_PLUGIN_DATA",
  "CLAUDE_PLUGIN_ROOT",
  "CLAUDE_PROJECT_DIR",
]);

/** The environment of a launched Claude Code: the user's, without that of a Claude Code session around us. */
export function toClaudeEnvironment(
  env: NodeJS.ProcessEnv,
  added: Readonly<Record<string, string>>,
): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !ofOuterSession.has(name));
  return { ...Object.fromEntries(own), ...added };
}
