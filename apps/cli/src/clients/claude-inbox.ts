import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { readClaudeState } from "./claude-state.js";
import type { ClientInbox } from "./client.js";

/**
 * Opens the inbox that Claude Code announced to this MCP server. Returns null if this version of Claude Code
 * has no inbox.
 */
export function openClaudeInbox(env: NodeJS.ProcessEnv): ClientInbox | null {
  const socket = findInboxSocket(env);
  return socket && { ...toClientInbox(socket), isBusy: () => isInTurn(socket, env) };
}

/** Returns whether the Claude Code behind the socket reports that it works, or waits for its user in a turn. */
async function isInTurn({ path }: InboxSocket, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { status, messagingSocketPath } = await readClaudeState(basename(path, ".sock"), env);
  return messagingSocketPath === path && (status === "busy" || status === "waiting");
}

export function toClientInbox(socket: InboxSocket): ClientInbox {
  return {
    isConnected: true,
    post: ({ line, canInterrupt }) => postToInbox(socket, { line, priority: canInterrupt ? "now" : "next" }),
  };
}

/** The socket on which Claude Code accepts messages for this server's session. */
export interface InboxSocket {
  readonly path: string;
  readonly token: string | null;
}

/**
 * A line for Claude Code's inbox. With priority `next` the line appears after the next tool result or in a
 * new turn. With `now` it appears immediately and interrupts a running tool.
 */
interface InboxPost {
  readonly line: string;
  readonly priority: "next" | "now";
}

/** Timeout. A running client accepts the line within a few milliseconds. */
const withinMs = 1_000;

/** Returns the socket that the client announced to this process, or null if the client announced none. */
export function findInboxSocket(env: NodeJS.ProcessEnv): InboxSocket | null {
  const path = env["CLAUDE_CODE_MESSAGING_SOCKET"];
  return path ? { path, token: env["CLAUDE_CODE_MESSAGING_TOKEN"] || null } : null;
}

/**
 * Returns the inbox socket of the Claude Code process with this id, from the state file that Claude Code
 * keeps for other programs. Undefined if the file names no socket.
 */
export async function findInboxSocketOf(
  pid: number,
  env: NodeJS.ProcessEnv,
): Promise<InboxSocket | undefined> {
  const folder = join(env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude"), "sessions");
  try {
    const { messagingSocketPath: path } = Object(
      JSON.parse(await readFile(join(folder, `${pid}.json`), "utf8")),
    );
    return typeof path === "string" ? { path, token: null } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes a line into the session's inbox. Resolves once the line has been written, because the client does
 * not report whether it shows the line.
 *
 * @throws Error if no client accepts the line
 */
function postToInbox({ path, token }: InboxSocket, { line, priority }: InboxPost): Promise<void> {
  // With this wrapper, the client shows its user one line instead of a long warning.
  const content = `<cross-session-message from="merkle" from-name="merkle">\n${line}\n</cross-session-message>`;
  const frames = [
    ...(token === null ? [] : [{ type: "auth", token }]),
    { type: "user", message: { role: "user", content }, priority },
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.setTimeout(withinMs, () => socket.destroy(new Error(`${path} does not respond.`)));
    socket.on("error", reject);
    // Discard any reply: the client need not send one.
    socket.resume();
    socket.end(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""), () => {
      resolve();
      socket.destroySoon();
    });
  });
}
