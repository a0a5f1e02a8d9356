import { type ChildProcess, spawn } from "node:child_process";
import { text } from "node:stream/consumers";

/** A permission for which OpenCode asks its user. */
export interface AskedPermission {
  readonly id: string;
  readonly permission: string;
  readonly patterns: readonly string[];
  /** The tool call that needs it. Missing if none does. */
  readonly tool?: { readonly callID: string };
}

/** OpenCode's answer to a permission, which applies once. */
export type PermissionReply =
  | { readonly reply: "once" }
  | { readonly reply: "reject"; readonly message: string };

export interface PermissionsOptions {
  /** The command of the hook that asks the agent's person, and its arguments (APPROVE-1). */
  readonly hook: readonly string[];
  readonly folder: string;
  /** Sends an answer to OpenCode. Fails if its user has already answered. */
  readonly reply: (id: string, body: PermissionReply) => Promise<unknown>;
}

/** The number of tool calls whose arguments are kept. The oldest are dropped first. */
const callsMax = 200;

/**
 * Relays the permissions for which OpenCode asks its user to the agent's person. OpenCode's own prompt stays open, and
 * the first answer decides (APPROVE-19). Without an answer of the person, that prompt decides.
 */
export function createPermissions({ hook, folder, reply }: PermissionsOptions) {
  const calls = new Map<string, { readonly tool: string; readonly args: object }>();
  const hooks = new Map<string, ChildProcess>();

  /** Returns what the person sees: the tool call, and what it needs beyond the use of its tool. */
  function describe({ permission, patterns, tool }: AskedPermission) {
    const call = tool && calls.get(tool.callID);
    if (!call) return { tool_name: permission, tool_input: { patterns } };
    if (permission === call.tool) return { tool_name: call.tool, tool_input: call.args };
    return { tool_name: permission, tool_input: { ...call.args, tool: call.tool, patterns } };
  }

  return {
    /** Keeps the arguments of a tool call, for which OpenCode may then ask. */
    begin(tool: string, callID: string, args: object): void {
      calls.set(callID, { tool, args });
      const [oldest] = calls.keys();
      if (calls.size > callsMax && oldest !== undefined) calls.delete(oldest);
    },
    async ask(asked: AskedPermission): Promise<void> {
      const [program = "", ...args] = hook;
      const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
      hooks.set(asked.id, child);
      // A hook that cannot start or has ended leaves the answer to OpenCode's prompt.
      child.on("error", () => undefined);
      child.stdin.on("error", () => undefined);
      child.stdin.end(JSON.stringify({ ...describe(asked), cwd: folder }));
      const answer = toReply(await text(child.stdout));
      // An answer that OpenCode's user gave first has removed the hook.
      if (answer && hooks.delete(asked.id)) await reply(asked.id, answer);
    },
    /** Withdraws the request for a permission that has been answered. */
    end(id: string): void {
      const child = hooks.get(id);
      hooks.delete(id);
      child?.kill("SIGTERM");
    },
  };
}

function toReply(output: string): PermissionReply | undefined {
  if (output === "") return undefined;
  const { decision } = JSON.parse(output).hookSpecificOutput;
  if (decision.behavior === "allow") return { reply: "once" };
  return { reply: "reject", message: decision.message };
}
