import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { usageError } from "../core/cli-error.js";
import { toShellLine } from "../text/shell.js";
import { claudePaths } from "./claude-paths.js";
import { isServingInShell } from "./serving.js";

/** Settings of Claude Code that let it call Merkle where something happens (LAUNCH-14). */
export interface HookSettings {
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>>;
}

interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Hook[];
}

type Hook =
  | { readonly type: "command"; readonly command: string; readonly timeout?: number }
  | {
      readonly type: "mcp_tool";
      readonly server: "merkle";
      readonly tool: "hook";
      readonly input: Readonly<Record<string, string>>;
    };

/** Before any tool of ours: only this says whether it is a subagent that calls. */
const ownTools = "mcp__merkle__.*";

/** Before a tool edits a file, which somebody else may have claimed. */
const editing = "Edit|MultiEdit|Write|NotebookEdit";

/** The terminal can be answered all the while, so that a hook that waits for somebody keeps nobody waiting. */
const approvalSeconds = 24 * 60 * 60;

/**
 * The hooks of an agent. A session that starts tells it who it is, by a command, for no server is connected then; all
 * others call the server that is there already, which costs no process. Where that has ended, a command brings the mail.
 *
 * @param merkle - the words that run merkle
 * @param inTurn - whether this Claude Code has hooks that call a server's tool
 * @param approvers - the devices that are asked what the terminal is asked (APPROVE-1); none unless told
 */
export function toHookSettings(
  merkle: readonly string[],
  { inTurn, approvers = [] }: { inTurn: boolean; approvers?: readonly string[] },
): HookSettings {
  const run = (command: string): HookGroup => ({ hooks: [{ type: "command", command }] });
  const sessionStart = { SessionStart: [run(toShellLine([...merkle, "hook", "session-start"]))] };
  const command = toShellLine([...merkle, "hook", "approval", ...approvers]);
  const approval: HookGroup = { hooks: [{ type: "command", command, timeout: approvalSeconds }] };
  const permission = approvers.length > 0 ? [approval] : [];
  const waiting: HookGroup = { hooks: [callServer("PermissionRequest", ofTool)] };
  const mail = run(`${isServingInShell} || ${toShellLine([...merkle, "hook", "mail"])}`);
  if (!inTurn)
    return { hooks: { ...sessionStart, ...(permission.length > 0 && { PermissionRequest: permission }) } };
  return {
    hooks: {
      ...sessionStart,
      PermissionRequest: [...permission, waiting],
      UserPromptSubmit: [{ hooks: [callServer("UserPromptSubmit")] }, mail],
      PreToolUse: [
        { matcher: ownTools, hooks: [callServer("PreToolUse")] },
        { matcher: editing, hooks: [callServer("PreToolUse", ofEdit)] },
      ],
      PostToolBatch: [{ hooks: [callServer("PostToolBatch")] }, mail],
      Stop: [{ hooks: [callServer("Stop")] }, mail],
      // It runs in place of Stop when an error ends the turn; the client ignores its answer.
      StopFailure: [{ hooks: [callServer("StopFailure")] }],
    },
  };
}

/** Claude Code puts in what it knows, and nothing where it does not. */
const filledIn = ["session_id", "prompt_id", "agent_id", "tool_use_id"];

/** Whether Claude Code asks for one of Merkle's tools in plan mode, where it ignores allow rules for tools that write. */
export function asksInPlanMode({ tool, mode }: Fields): boolean {
  return mode === "plan" && typeof tool === "string" && tool.startsWith("mcp__merkle__");
}

/** The hook output that grants a permission without asking the user. */
export const allowTool = JSON.stringify({
  hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
});

const ofTool = { tool: "tool_name", input: "tool_input", mode: "permission_mode" };
const ofEdit = { file: "tool_input.file_path", notebook: "tool_input.notebook_path", edit: "tool_input" };

/** The file that a tool edits, as its hook says it. */
export function editedFiles({ file, notebook }: Fields): readonly string[] {
  return [file, notebook].filter((path): path is string => typeof path === "string" && path !== "");
}

function callServer(event: string, more: Readonly<Record<string, string>> = {}): Hook {
  const named = [...filledIn.map((name) => [name, name] as const), ...Object.entries(more)];
  const input = Object.fromEntries(named.map(([name, what]) => [name, `\${${what}}`]));
  return { type: "mcp_tool", server: "merkle", tool: "hook", input: { event, ...input } };
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Our settings together with those that the user gave to Claude Code, a path or JSON: of several `--settings` it takes
 * the last alone. All that the user set stays; our hooks come on top of the user's.
 *
 * @throws CliError `usage` when they cannot be read
 */
export async function mergeSettings(
  ours: HookSettings,
  given: string | undefined,
  cwd: string,
): Promise<Fields> {
  if (given === undefined) return { ...ours };
  const theirs = parse(await readGiven(given, cwd), given);
  const hooks = isFields(theirs["hooks"]) ? theirs["hooks"] : {};
  const events = new Set([...Object.keys(hooks), ...Object.keys(ours.hooks)]);
  const merged = [...events].map((event) => [
    event,
    [...groupsOf(hooks[event]), ...(ours.hooks[event] ?? [])],
  ]);
  return { ...theirs, hooks: Object.fromEntries(merged) };
}

async function readGiven(given: string, cwd: string): Promise<string> {
  if (given.trimStart().startsWith("{")) return given;
  return readFile(resolve(cwd, given), "utf8").catch((error: NodeJS.ErrnoException) => {
    throw usageError(`--settings names ${given}, which cannot be read (${error.code}).`);
  });
}

function parse(text: string, given: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (isFields(value)) return value;
  } catch {
    // Not JSON is as wrong as not an object, and told in the same sentence.
  }
  const named = given.trimStart().startsWith("{") ? "" : ` names ${given}, which`;
  throw usageError(`--settings${named} must contain a JSON object.`);
}

function groupsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The hooks that this user's own settings have not got already: Claude Code runs those beside a launch's, and one that
 * runs twice would tell the server of an event that did not happen.
 */
export async function withoutInstalled(ours: HookSettings, env: NodeJS.ProcessEnv): Promise<HookSettings> {
  const installed = await readInstalledHooks(claudePaths(env).settings);
  const lacking = Object.entries(ours.hooks).map(
    ([event, groups]) => [event, groups.filter((each) => !isAmong(installed, event, each))] as const,
  );
  return { hooks: Object.fromEntries(lacking.filter(([, groups]) => groups.length > 0)) };
}

/** A command may run another merkle than this one, and does the same. */
function isAmong(installed: object, event: string, group: HookGroup): boolean {
  const there: unknown = Reflect.get(installed, event);
  if (!Array.isArray(there)) return false;
  const [hook] = group.hooks;
  const ownCommand = hook?.type === "command" ? / hook [a-z-]+$/.exec(hook.command)?.[0] : undefined;
  return there.some((each) =>
    ownCommand === undefined ? isDeepStrictEqual(each, group) : JSON.stringify(each).includes(ownCommand),
  );
}

async function readInstalledHooks(path: string): Promise<object> {
  try {
    const { hooks }: { hooks?: unknown } = JSON.parse(await readFile(path, "utf8"));
    return typeof hooks === "object" && hooks !== null ? hooks : {};
  } catch {
    // There are none, or Claude Code cannot read them either.
    return {};
  }
}
