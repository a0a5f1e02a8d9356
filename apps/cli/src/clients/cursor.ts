import { homedir } from "node:os";
import { join } from "node:path";
import { homeFiles } from "../core/merkle-home.js";
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
  ResumeTarget,
} from "./client.js";
import { isAtLeast } from "./find-program.js";
import { isInstalled } from "./installed-hooks.js";
import { formatIntroduction } from "./introduction.js";
import { findFlagValue, findModel, toPeerEnvironment, toPeerServer } from "./launch-server.js";
import { type ServerProgram, withEnvironment } from "./server-program.js";
import { createWakeAbility, describeUnwakeable } from "./wake-ability.js";

/** The first version of cursor-agent that is reported to run all of these hooks, also those of a plugin. */
const hooksVersionMin = "2026.09.10";

/**
 * The Cursor client: its editor, which is configured, and its program `cursor-agent`, which can also be launched. Its
 * hooks are commands. They run only in a turn, so an idle Cursor cannot be woken.
 */
export const cursor: Client = {
  name: "cursor",
  label: "Cursor",
  program: "cursor-agent",
  installAdvice: "curl https://cursor.com/install -fsS | bash",
  updateAdvice: "cursor-agent update",
  mcpName: "cursor-vscode",
  hint: "Cursor asks before it starts a new server and runs its tools; cursor-agent mcp enable merkle allows an installed one.",
  hasSocketHooks: true,
  getWakeAbility: createWakeAbility({
    since: hooksVersionMin,
    paths: ["hooks"],
    advice: describeUnwakeable("Cursor"),
  }),
  configure,
  findResumeTarget,
  resume: (id) => ["--resume", id],
  launch,
  deliver,
  // After an aborted turn Cursor's user is about to type. A follow-up would start the next turn instead.
  hasTurnFailed: ({ status }) => status === "aborted" || status === "error",
  openInbox: () => null,
};

/**
 * Cursor's names for hook events, each with Merkle's name. Cursor ignores the whole file if it does not know one of the
 * names in it, so only events that all supported versions have are listed.
 */
const events: readonly (readonly [string, HookEvent | "SessionStart"])[] = [
  ["sessionStart", "SessionStart"],
  ["postToolUse", "PostToolBatch"],
  ["stop", "Stop"],
];

function toHook(merkle: readonly string[], event: HookEvent | "SessionStart") {
  const command = toShellLine([...merkle, "hook", "event", "cursor", event]);
  // Cursor otherwise drops the messages after the fifth turn in a row that a hook has begun.
  return { command, timeout: 10, ...(event === "Stop" && { loop_limit: null }) };
}

function toConfigPath(name: string): string {
  return join(homedir(), ".cursor", name);
}

/** Tells the server which client it serves. Cursor's editor and its program name themselves differently. */
const clientVariable = { MERKLE_CLIENT: "cursor" };

/** Set for a launched Cursor, in which the installed server leaves the tools to that of the launch. */
const launchedVariable = "MERKLE_CURSOR_LAUNCHED";

function configure(merkle: ServerProgram, { version }: ClientEnvironment): FileAdditions[] {
  const { command, entry, serveArgs } = merkle;
  // Cursor fills in the variable. Its user's servers run beside those of a launch.
  const env = { ...merkle.env, ...clientVariable, MERKLE_UNLESS_LAUNCHED: `\${env:${launchedVariable}}` };
  const server = { command, args: [...entry, ...serveArgs], env };
  const hooks = events.map(
    ([event, ours]): Addition => ({
      kind: "item",
      path: ["hooks", event],
      value: toHook(withEnvironment(merkle), ours),
    }),
  );
  const hasHooks = version === undefined || isAtLeast(version, hooksVersionMin);
  return [
    {
      path: toConfigPath("mcp.json"),
      format: "jsonc",
      additions: [{ kind: "member", path: ["mcpServers", "merkle"], value: server }],
    },
    ...(hasHooks
      ? [
          {
            path: toConfigPath("hooks.json"),
            format: "jsonc" as const,
            // Without this version, Cursor ignores the file.
            additions: [
              { kind: "member" as const, path: ["version"], value: 1, isShared: true as const },
              ...hooks,
            ],
          },
        ]
      : []),
  ];
}

function findResumeTarget(userArgs: readonly string[]): ResumeTarget | undefined {
  if (userArgs.includes("--continue") || userArgs[0] === "resume") return "latest";
  const id = findFlagValue(userArgs, "--resume");
  return id === undefined || id.startsWith("-") ? undefined : { id };
}

/**
 * Returns how to launch Cursor. Everything that the launch adds is in a separate plugin, so the user's own files remain
 * unchanged. An installed server leaves the tools to the plugin's (LAUNCH-26).
 */
async function launch(target: LaunchTarget, agent: LaunchedAgent): Promise<LaunchCall> {
  const folder = join(homeFiles.launch(target.home), `${target.storedPeerId}.cursor`);
  const server = toPeerServer(target, agent, agent.model ?? findModel(agent.userArgs));
  const areHooksInstalled = await isInstalled(toConfigPath("hooks.json"), "hook event cursor");
  const hasHooks = !areHooksInstalled && isAtLeast(agent.version, hooksVersionMin);
  const hooks = events.map(([event, ours]) => [event, [toHook([process.execPath, getEntryFile()], ours)]]);
  const file = (name: string, content: unknown) => ({
    path: join(folder, name),
    content: typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`,
  });
  const plugin = {
    ...{ name: "merkle", version: "1.0.0", description: "Merkle, for this launch" },
    ...{ mcpServers: "./mcp.json", rules: "./rules/" },
    ...(hasHooks && { hooks: "./hooks/hooks.json" }),
  };
  const env = { ...server.env, ...clientVariable };
  return {
    args: [
      ...["--plugin-dir", folder],
      ...(agent.model === undefined ? [] : ["--model", agent.model]),
      ...agent.userArgs,
    ],
    env: { ...toPeerEnvironment(target), [launchedVariable]: "1" },
    files: [
      file(".cursor-plugin/plugin.json", plugin),
      file("mcp.json", { mcpServers: { merkle: { ...server, env } } }),
      file("rules/merkle.mdc", toRule(target)),
      ...(hasHooks ? [file("hooks/hooks.json", { version: 1, hooks: Object.fromEntries(hooks) })] : []),
    ],
  };
}

/**
 * Returns a rule that is part of every conversation. Some versions of Cursor discard what its hook says at the start of
 * a conversation.
 */
function toRule({ slug, teamName, peerName }: LaunchTarget): string {
  const introduction = formatIntroduction({ session: slug, team: teamName, peer: peerName });
  return `---\ndescription: Merkle\nalwaysApply: true\n---\n\n${introduction}\n`;
}

/** Returns the hook output for Cursor, which sends a follow-up message as the next prompt. */
function deliver(event: HookEvent | "SessionStart", text: string): object {
  if (text === "") return {};
  return event === "Stop" ? { followup_message: text } : { additional_context: text };
}
