import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ClientInbox } from "./client.js";

/** The inbox that Claude Code named to the server beside it, or null: not every version has one. */
export function openClaudeInbox(env: NodeJS.ProcessEnv): ClientInbox | null {
  const socket = findInboxSocket(env);
  return socket && toClientInbox(socket);
}

export function toClientInbox(socket: InboxSocket): ClientInbox {
  return {
    isThere: true,
    post: ({ line, interrupts }) => postToInbox(socket, { line, priority: interrupts ? "now" : "next" }),
  };
}

/** Where Claude Code takes messages for the session whose MCP server this is. */
export interface InboxSocket {
  readonly path: string;
  readonly token: string | null;
}

/**
 * A line for Claude Code. With the priority `next` it comes beside the next result or in a turn of its own; with `now` it comes
 * at once, which ends a running tool.
 */
interface InboxPost {
  readonly line: string;
  readonly priority: "next" | "now";
}

/** A client that is there takes it in a few milliseconds. */
const withinMs = 1_000;

/** The socket that the client named to this process, or null: not every client has one. */
export function findInboxSocket(env: NodeJS.ProcessEnv): InboxSocket | null {
  const path = env["CLAUDE_CODE_MESSAGING_SOCKET"];
  return path ? { path, token: env["CLAUDE_CODE_MESSAGING_TOKEN"] || null } : null;
}

/** The socket of the Claude Code of this process, as it tells others of its user; undefined when it does not. */
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
 * Writes a line into the session's inbox. Resolves when it was written; whether the client shows it, it does not say.
 *
 * @throws Error when there is nobody to take it
 */
function postToInbox({ path, token }: InboxSocket, { line, priority }: InboxPost): Promise<void> {
  // In this frame the client shows one line to the user, not its whole warning.
  const content = `<cross-session-message from="merkle" from-name="merkle">\n${line}\n</cross-session-message>`;
  const frames = [
    ...(token === null ? [] : [{ type: "auth", token }]),
    { type: "user", message: { role: "user", content }, priority },
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.setTimeout(withinMs, () => socket.destroy(new Error(`${path} does not respond.`)));
    socket.on("error", reject);
    // It need not answer; what it says is not read.
    socket.resume();
    socket.end(frames.map((frame) => `${JSON.stringify(frame)}\n`).join(""), () => {
      resolve();
      socket.destroySoon();
    });
  });
}
