import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import type { InboxSocket } from "../waking/inbox-socket.js";

/**
 * Since when the client is idle, as it keeps it in a file for other clients of its user, in milliseconds of the clock; undefined
 * when it is busy or does not say so. It is how a turn shows that it was interrupted, of which no hook tells.
 */
export async function idleSince(inbox: InboxSocket, env: NodeJS.ProcessEnv): Promise<number | undefined> {
  const folder = join(env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude"), "sessions");
  try {
    const text = await readFile(join(folder, `${basename(inbox.path, ".sock")}.json`), "utf8");
    const { status, statusUpdatedAt, messagingSocketPath } = Object(JSON.parse(text));
    const isIdle = status === "idle" && messagingSocketPath === inbox.path;
    return isIdle && typeof statusUpdatedAt === "number" ? statusUpdatedAt : undefined;
  } catch {
    // No client promises this file: without it a turn ends by its hooks, or by their silence.
    return undefined;
  }
}
