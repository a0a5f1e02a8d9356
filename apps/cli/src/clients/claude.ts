import { join } from "node:path";
import { homeFiles } from "../core/merkle-home.js";
import { getEntryFile } from "../core/this-program.js";
import { parseClaudeArgs } from "./claude-args.js";
import { listEditedFiles, mergeSettings, toHookSettings, withoutInstalled } from "./claude-hooks.js";
import { openClaudeInbox } from "./claude-inbox.js";
import { toClaudePaths } from "./claude-paths.js";
import { claudeTranscript } from "./claude-transcript.js";
import { claudeUsage } from "./claude-usage.js";
import type {
  Addition,
  Client,
  ClientEnvironment,
  FileAdditions,
  LaunchCall,
  LaunchedAgent,
  LaunchTarget,
  WakeAbility,
} from "./client.js";
import { isAtLeast } from "./find-program.js";
import { findModel, toPeerEnvironment, toPeerServer } from "./launch-server.js";
import { type ServerProgram, withEnvironment } from "./server-program.js";

/** The Claude Code client. Its hooks call a tool of the MCP server, and it has an inbox. */
export const claude: Client = {
  name: "claude",
  label: "Claude Code",
  program: "claude",
  installAdvice: "npm install -g @anthropic-ai/claude-code",
  updateAdvice: "claude update",
  mcpName: "claude-code",
  hint: undefined,
  hasSocketHooks: false,
  getWakeAbility,
  configure,
  findResumeTarget: (userArgs) => parseClaudeArgs(userArgs).resumeTarget,
  resume: (id) => ["--resume", id],
  launch,
  deliver: (event, text, toUser) =>
    text === ""
      ? {}
      : {
          ...(toUser && { systemMessage: toUser }),
          hookSpecificOutput: { hookEventName: event, additionalContext: text },
        },
  listEditedFiles,
  usage: claudeUsage,
  transcript: claudeTranscript,
  openInbox: ({ env }) => openClaudeInbox(env),
};

/**
 * The first versions of Claude Code in which these features were verified. Earlier versions may have some of
 * them.
 */
const inboxVersionMin = "2.1.224";
const hooksVersionMin = "2.1.330";
const testedVersionMin = "2.0.0";

function getWakeAbility(version: string): WakeAbility {
  const supportsInbox = isAtLeast(version, inboxVersionMin);
  const supportsHooks = isAtLeast(version, hooksVersionMin);
  const number = /\d+\.\d+\.\d+/.exec(version)?.[0];
  return {
    paths: [
      ...(supportsInbox ? ["inbox" as const] : []),
      ...(supportsHooks ? ["hooks" as const] : []),
      "wait",
    ],
    advice:
      number === undefined || supportsHooks
        ? undefined
        : describeWakeAdvice(number, { inbox: supportsInbox }),
  };
}

function describeWakeAdvice(number: string, { inbox }: { inbox: boolean }): string {
  const more = [
    ...(inbox ? [] : [`the inbox needs ${inboxVersionMin}`]),
    `hooks need ${hooksVersionMin}`,
  ].join(", ");
  const limitation = `Claude Code ${number} can be woken only through ${inbox ? "its inbox and a wait" : "a wait"}; ${more}`;
  return isAtLeast(number, testedVersionMin)
    ? limitation
    : `${limitation}. It is older than 2.0 and may not work with Merkle`;
}

function hasHooks(version: string | undefined): boolean {
  return version === undefined || getWakeAbility(version).paths.includes("hooks");
}

function configure(merkle: ServerProgram, { env, version }: ClientEnvironment): FileAdditions[] {
  const { hooks } = toHookSettings(withEnvironment(merkle), { hasTurnHooks: hasHooks(version) });
  const { command, entry } = merkle;
  const server = {
    type: "stdio",
    command,
    args: [...entry, ...merkle.serveArgs],
    env: merkle.env,
  };
  const paths = toClaudePaths(env);
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
async function launch(target: LaunchTarget, agent: LaunchedAgent): Promise<LaunchCall> {
  const parsedArgs = parseClaudeArgs(agent.userArgs);
  const hooks = await withoutInstalled(
    toHookSettings([process.execPath, getEntryFile()], {
      hasTurnHooks: hasHooks(agent.version),
      approvers: agent.approvers,
      hasOwnWords: agent.hasOwnWords,
    }),
    agent.env,
  );
  const settings = await mergeSettings(hooks, parsedArgs.settings, agent.cwd);
  const folder = homeFiles.launch(target.home);
  const configFile = join(folder, `${target.storedPeerId}.json`);
  const settingsFile = join(folder, `${target.storedPeerId}.settings.json`);
  const model = agent.model ?? findModel(agent.userArgs);
  const config = {
    mcpServers: { merkle: { type: "stdio", ...toPeerServer(target, agent, model) } },
  };
  return {
    args: [
      `--mcp-config=${configFile}`,
      `--settings=${settingsFile}`,
      "--allowedTools=mcp__merkle",
      ...(agent.model === undefined ? [] : [`--model=${agent.model}`]),
      ...(agent.hasChannel ? ["--dangerously-load-development-channels=server:merkle"] : []),
      ...parsedArgs.others,
    ],
    env: toPeerEnvironment(target),
    files: [
      { path: configFile, content: toText(config) },
      { path: settingsFile, content: toText(settings), shown: toText(hooks) },
    ],
  };
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
