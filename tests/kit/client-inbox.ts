import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Cleanup } from "./test-database.js";

/** A socket on which a client receives messages for its session, like the inbox socket of Claude Code. */
export interface ClientInbox {
  /** Environment variables that tell an MCP server where the socket is. */
  readonly env: Readonly<Record<string, string>>;
  /** Messages that were received but not yet returned by `next`. */
  readonly waiting: readonly InboxFrame[];
  /** Returns the next message, whose authentication has already been checked. */
  next(): Promise<InboxFrame>;
  /** Writes the client's status to its status file, optionally with the time of its last change. */
  is(status: "idle" | "busy", since?: number): Promise<void>;
}

export interface InboxFrame {
  readonly type: "user";
  readonly message: { readonly role: "user"; readonly content: string };
  readonly priority: string;
}

const token = "a-token-of-the-client";

export async function startClientInbox(cleanup: Cleanup = onTestFinished): Promise<ClientInbox> {
  const folder = await mkdtemp(join(tmpdir(), "merkle-inbox-"));
  const path = join(folder, "1.sock");
  const waiting: InboxFrame[] = [];
  const askers: ((frame: InboxFrame) => void)[] = [];
  const server = createServer((socket) => {
    let text = "";
    socket.setEncoding("utf8").on("data", (data: string) => {
      text += data;
    });
    socket.on("end", () => {
      // The server opened the connection but exited before writing.
      if (text === "") return;
      const [auth, frame] = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      if (auth.type !== "auth" || auth.token !== token) throw new Error(`No authentication: ${text}`);
      const asker = askers.shift();
      if (asker) asker(frame);
      else waiting.push(frame);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  cleanup(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });
  return {
    env: {
      CLAUDE_CODE_MESSAGING_SOCKET: path,
      CLAUDE_CODE_MESSAGING_TOKEN: token,
      CLAUDE_CONFIG_DIR: folder,
    },
    waiting,
    async is(status, since = Date.now()) {
      await mkdir(join(folder, "sessions"), { recursive: true });
      const sessionFile = { status, statusUpdatedAt: since, messagingSocketPath: path };
      await writeFile(join(folder, "sessions", "1.json"), JSON.stringify(sessionFile));
    },
    next() {
      const first = waiting.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => askers.push(resolve));
    },
  };
}
