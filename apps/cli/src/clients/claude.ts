import { join } from "node:path";
import { reachVariables } from "../broker/reach.js";
import { homeFiles } from "../core/merkle-home.js";
import { entryFile } from "../core/this-program.js";
import { readClaudeArgs } from "./claude-args.js";
import { editedFiles, mergeSettings, toHookSettings, withoutInstalled } from "./claude-hooks.js";
import { openClaudeInbox } from "./claude-inbox.js";
import { claudePaths } from "./claude-paths.js";
import { claudeTranscript } from "./claude-transcript.js";
import { claudeUsage } from "./claude-usage.js";
import type {
  Addition,
  Client,
  FileAdditions,
  FoundClient,
  LaunchCall,
  LaunchedAgent,
  LaunchPlace,
  WakeAbility,
} from "./client.js";
import { isFrom } from "./find-program.js";
import { modelIn, placeServer, toPeerVariables } from "./launch-server.js";
import { type ServerProgram, withEnvironment } from "./server-program.js";

/** The Claude Code client. Its hooks call a tool of the MCP server, and it has an inbox. */
export const claude: Client = {
  name: "claude",
  label: "Claude Code",
  program: "claude",
  installAdvice: "npm install -g @anthropic-ai/claude-code",
  introducesAs: "claude-code",
  hint: undefined,
  relaysPermissions: true,
  usesSocket: false,
  wakePathsOf,
  configure,
  resumedBy: (userArgs) => readClaudeArgs(userArgs).resumes,
  resume: (id) => ["--resume", id],
  launch,
  deliver: (event, text, toUser) =>
    text === ""
      ? {}
      : {
          ...(toUser && { systemMessage: toUser }),
          hookSpecificOutput: { hookEventName: event, additionalContext: text },
        },
  editedFiles,
  usage: claudeUsage,
  transcript: claudeTranscript,
  openInbox: ({ env }) => openClaudeInbox(env),
};

/**
 * The first versions of Claude Code in which these features were verified. Earlier versions may have some of
 * them.
 */
const inboxFrom = "2.1.224";
const hooksFrom = "2.1.330";
const triedFrom = "2.0.0";

function wakePathsOf(version: string): WakeAbility {
  const inbox = isFrom(version, inboxFrom);
  const hooks = isFrom(version, hooksFrom);
  const number = /\d+\.\d+\.\d+/.exec(version)?.[0];
  return {
    paths: [...(inbox ? ["inbox" as const] : []), ...(hooks ? ["hooks" as const] : []), "wait"],
    advice: number === undefined || hooks ? undefined : adviceFor(number, { inbox }),
  };
}

function adviceFor(number: string, { inbox }: { inbox: boolean }): string {
  const more = [...(inbox ? [] : [`the inbox needs ${inboxFrom}`]), `hooks need ${hooksFrom}`].join(", ");
  const woken = `Claude Code ${number} can be woken only through ${inbox ? "its inbox and a wait" : "a wait"}; ${more}`;
  return isFrom(number, triedFrom) ? woken : `${woken}. It is older than 2.0 and may not work with Merkle`;
}

function hasHooks(version: string | undefined): boolean {
  return version === undefined || wakePathsOf(version).paths.includes("hooks");
}

function configure(merkle: ServerProgram, { env, version }: FoundClient): FileAdditions[] {
  const { hooks } = toHookSettings(withEnvironment(merkle), { inTurn: hasHooks(version) });
  const { command, entry } = merkle;
  const server = {
    type: "stdio",
    command,
    args: [...entry, ...merkle.serve],
    env: merkle.env,
    alwaysLoad: true,
  };
  const paths = claudePaths(env);
  return [
    {
      path: paths.config,
      format: "json",
      additions: [{ kind: "member", path: ["mcpServers", "merkle"], value: server }],
    },
    {
      path: paths.settings,
      format: "json",
      additions: [
        ...Object.entries(hooks).flatMap(([event, groups]) =>
          groups.map((value): Addition => ({ kind: "item", path: ["hooks", event], value })),
        ),
        { kind: "item", path: ["permissions", "allow"], value: "mcp__merkle" },
      ],
    },
  ];
}

/**
 * Returns how to launch Claude Code. Flags that accept several values are written with `=`, because they
 * would otherwise consume a following prompt. Values that the user passes are added to Merkle's (LAUNCH-6).
 */
async function launch(place: LaunchPlace, agent: LaunchedAgent): Promise<LaunchCall> {
  const given = readClaudeArgs(agent.userArgs);
  const hooks = await withoutInstalled(
    toHookSettings([process.execPath, entryFile()], {
      inTurn: hasHooks(agent.version),
      approvers: agent.approvers,
    }),
    agent.env,
  );
  const settings = await mergeSettings(hooks, given.settings, agent.cwd);
  const folder = homeFiles.launch(place.home);
  const configFile = join(folder, `${place.placeId}.json`);
  const settingsFile = join(folder, `${place.placeId}.settings.json`);
  const model = agent.model ?? modelIn(agent.userArgs);
  const config = {
    mcpServers: { merkle: { type: "stdio", ...placeServer(place, agent, model), alwaysLoad: true } },
  };
  return {
    args: [
      `--mcp-config=${configFile}`,
      `--settings=${settingsFile}`,
      "--allowedTools=mcp__merkle",
      ...(agent.model === undefined ? [] : [`--model=${agent.model}`]),
      ...(agent.channel ? ["--dangerously-load-development-channels=server:merkle"] : []),
      ...given.others,
    ],
    env: {
      MERKLE_HOME: place.home,
      MERKLE_URL: place.url,
      ...reachVariables(place),
      ...toPeerVariables(place),
    },
    files: [
      { path: configFile, content: toText(config) },
      { path: settingsFile, content: toText(settings), shown: toText(hooks) },
    ],
  };
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
