import { toShellLine } from "../text/shell.js";

/** Settings of Claude Code that let it call Merkle where something happens (LAUNCH-14). */
export interface HookSettings {
  readonly hooks: Readonly<Record<string, readonly HookGroup[]>>;
}

export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Hook[];
}

type Hook =
  | { readonly type: "command"; readonly command: string }
  | {
      readonly type: "mcp_tool";
      readonly server: "merkle";
      readonly tool: "hook";
      readonly input: Readonly<Record<string, string>>;
    };

/** Before any tool of ours: only this says whether it is a subagent that calls. */
const ownTools = "mcp__merkle__.*";

/**
 * The hooks of an agent. A session that starts tells it who it is, by a command, for no server is connected then; all
 * others call the server that is there already, which costs no process.
 *
 * @param merkle - the words that run merkle
 * @param inTurn - whether this Claude Code has hooks that call a server's tool
 */
export function toHookSettings(merkle: readonly string[], { inTurn }: { inTurn: boolean }): HookSettings {
  const command = toShellLine([...merkle, "hook", "session-start"]);
  const sessionStart = { SessionStart: [{ hooks: [{ type: "command" as const, command }] }] };
  if (!inTurn) return { hooks: sessionStart };
  return {
    hooks: {
      ...sessionStart,
      UserPromptSubmit: [{ hooks: [callServer("UserPromptSubmit")] }],
      PreToolUse: [{ matcher: ownTools, hooks: [callServer("PreToolUse")] }],
      PostToolBatch: [{ hooks: [callServer("PostToolBatch")] }],
      Stop: [{ hooks: [callServer("Stop")] }],
    },
  };
}

/** Claude Code puts in what it knows, and nothing where it does not. */
const filledIn = ["session_id", "prompt_id", "agent_id", "tool_use_id"];

function callServer(event: string): Hook {
  const input = Object.fromEntries(filledIn.map((name) => [name, `\${${name}}`]));
  return { type: "mcp_tool", server: "merkle", tool: "hook", input: { event, ...input } };
}
