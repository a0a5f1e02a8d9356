import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { usageError } from "../core/cli-error.js";
import { isObject, type JsonFields } from "../core/is-object.js";
import { toShellLine } from "../text/shell.js";
import { toClaudePaths } from "./claude-paths.js";
import { isServingInShell } from "./serving.js";

/** Claude Code settings that add Merkle's hooks (LAUNCH-14). */
export interface HookSettings {
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>>;
}

interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Hook[];
}

type Hook =
  | {
      readonly type: "command";
      readonly command: string;
      readonly timeout?: number;
      /** Lets the hook run in the background while the client is idle. */
      readonly asyncRewake?: true;
    }
  | {
      readonly type: "mcp_tool";
      readonly server: "merkle";
      readonly tool: "hook";
      readonly input: Readonly<Record<string, string>>;
    };

/**
 * Matches Merkle's own tools. A hook must run before each of these calls, because only the hook's input shows
 * whether a subagent makes the call.
 */
const ownToolsPattern = "mcp__merkle__.*";

/** Matches tools that edit files, because another agent may have claimed the file. */
const editToolsPattern = "Edit|MultiEdit|Write|NotebookEdit";

/**
 * Timeout of the hook that waits for a person to approve remotely. A long timeout is harmless: the user can
 * answer at the terminal at any time.
 */
const approvalSeconds = 24 * 60 * 60;

/**
 * Returns the hooks for an agent. The SessionStart hook is a command, because no server is connected at that
 * time. The other hooks call the running server, which avoids starting a process. If the server has ended,
 * hook commands deliver the messages.
 *
 * @param merkle - the words of the command that runs merkle
 * @param inTurn - whether this version of Claude Code supports hooks that call a server's tool
 * @param approvers - the devices that also get permission prompts (APPROVE-1); default: none
 * @param hasOwnWords - whether the devices can also answer questions (APPROVE-12); default: no
 */
export function toHookSettings(
  merkle: readonly string[],
  {
    hasTurnHooks,
    approvers = [],
    hasOwnWords = false,
  }: { hasTurnHooks: boolean; approvers?: readonly string[]; hasOwnWords?: boolean },
): HookSettings {
  const run = (command: string): HookGroup => ({ hooks: [{ type: "command", command }] });
  const sessionStart = { SessionStart: [run(toShellLine([...merkle, "hook", "session-start"]))] };
  const command = toShellLine([...merkle, "hook", "approval", ...approvers]);
  const approval: HookGroup = { hooks: [{ type: "command", command, timeout: approvalSeconds }] };
  const permission = approvers.length > 0 ? [approval] : [];
  const turnEndCommand = toShellLine([...merkle, "hook", "turn-end", ...approvers]);
  const asked: HookGroup = {
    hooks: [{ type: "command", command: turnEndCommand, timeout: approvalSeconds, asyncRewake: true }],
  };
  const turnEnd = approvers.length > 0 && hasOwnWords ? [asked] : [];
  const waiting: HookGroup = { hooks: [callServer("PermissionRequest", toolFields)] };
  const mail = run(`${isServingInShell} || ${toShellLine([...merkle, "hook", "mail"])}`);
  if (!hasTurnHooks)
    return { hooks: { ...sessionStart, ...(permission.length > 0 && { PermissionRequest: permission }) } };
  return {
    hooks: {
      ...sessionStart,
      PermissionRequest: [...permission, waiting],
      UserPromptSubmit: [{ hooks: [callServer("UserPromptSubmit")] }, mail],
      PreToolUse: [
        { matcher: ownToolsPattern, hooks: [callServer("PreToolUse")] },
        { matcher: editToolsPattern, hooks: [callServer("PreToolUse", editFields)] },
      ],
      PostToolBatch: [{ hooks: [callServer("PostToolBatch")] }, mail],
      Stop: [{ hooks: [callServer("Stop")] }, mail, ...turnEnd],
      // StopFailure runs instead of Stop when an error ends the turn. Claude Code ignores its output.
      StopFailure: [{ hooks: [callServer("StopFailure")] }],
    },
  };
}

/** Hook fields that Claude Code fills in. Fields whose value is unknown are empty. */
const commonFields = ["session_id", "prompt_id", "agent_id", "tool_use_id"];

/**
 * Returns whether Claude Code asks for permission to use one of Merkle's tools because it is in plan mode. In
 * that mode, allow rules do not apply to tools that write.
 */
export function asksInPlanMode({ tool, mode }: JsonFields): boolean {
  return mode === "plan" && typeof tool === "string" && tool.startsWith("mcp__merkle__");
}

/** The hook output that grants a permission without asking the user. */
export const allowTool = JSON.stringify({
  hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
});

const toolFields = { tool: "tool_name", input: "tool_input", mode: "permission_mode" };
const editFields = { file: "tool_input.file_path", notebook: "tool_input.notebook_path", edit: "tool_input" };

/** Returns the files that a tool is about to edit, from the input of its hook. */
export function listEditedFiles({ file, notebook }: JsonFields): readonly string[] {
  return [file, notebook].filter((path): path is string => typeof path === "string" && path !== "");
}

function callServer(event: string, more: Readonly<Record<string, string>> = {}): Hook {
  const entries = [...commonFields.map((name) => [name, name] as const), ...Object.entries(more)];
  const input = Object.fromEntries(entries.map(([name, what]) => [name, `\${${what}}`]));
  return { type: "mcp_tool", server: "merkle", tool: "hook", input: { event, ...input } };
}

/**
 * Merges Merkle's settings with the user's `--settings`, a path or JSON, because Claude Code uses only the
 * last `--settings`. The user's settings are kept, and Merkle's hooks are added to the user's.
 *
 * @throws CliError `usage` if the user's settings cannot be read
 */
export async function mergeSettings(
  ours: HookSettings,
  userSettings: string | undefined,
  cwd: string,
): Promise<JsonFields> {
  if (userSettings === undefined) return { ...ours };
  const theirs = parse(await readUserSettings(userSettings, cwd), userSettings);
  const hooks = isObject(theirs["hooks"]) ? theirs["hooks"] : {};
  const events = new Set([...Object.keys(hooks), ...Object.keys(ours.hooks)]);
  const merged = [...events].map((event) => [
    event,
    [...toArray(hooks[event]), ...(ours.hooks[event] ?? [])],
  ]);
  return { ...theirs, hooks: Object.fromEntries(merged) };
}

async function readUserSettings(userSettings: string, cwd: string): Promise<string> {
  if (userSettings.trimStart().startsWith("{")) return userSettings;
  return readFile(resolve(cwd, userSettings), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw usageError(`--settings names ${userSettings}, which cannot be read (${error.code}).`);
  });
}

function parse(text: string, userSettings: string): JsonFields {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Invalid JSON gets the same error as JSON that is not an object.
  }
  const named = userSettings.trimStart().startsWith("{") ? "" : ` names ${userSettings}, which`;
  throw usageError(`--settings${named} must contain a JSON object.`);
}

function toArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns our hooks without those that the user's own settings already contain. Claude Code runs the user's
 * hooks in addition to a launch's, and a duplicate hook would report events twice.
 */
export async function withoutInstalled(ours: HookSettings, env: NodeJS.ProcessEnv): Promise<HookSettings> {
  const installed = await readInstalledHooks(toClaudePaths(env).settings);
  const missing = Object.entries(ours.hooks).map(
    ([event, groups]) => [event, groups.filter((each) => !isAmong(installed, event, each))] as const,
  );
  return { hooks: Object.fromEntries(missing.filter(([, groups]) => groups.length > 0)) };
}

/**
 * Compares hook commands by their ending, because an installed hook may run a different copy of merkle with
 * the same effect.
 */
function isAmong(installed: object, event: string, group: HookGroup): boolean {
  const installedGroups: unknown = Reflect.get(installed, event);
  if (!Array.isArray(installedGroups)) return false;
  const [hook] = group.hooks;
  const ownCommand = hook?.type === "command" ? / hook [a-z-]+$/.exec(hook.command)?.[0] : undefined;
  return installedGroups.some((each) =>
    ownCommand === undefined ? isDeepStrictEqual(each, group) : JSON.stringify(each).includes(ownCommand),
  );
}

async function readInstalledHooks(path: string): Promise<object> {
  try {
    const { hooks }: { hooks?: unknown } = JSON.parse(await readFile(path, "utf8"));
    return typeof hooks === "object" && hooks !== null ? hooks : {};
  } catch {
    // The file does not exist, or is one that Claude Code cannot read either.
    return {};
  }
}
