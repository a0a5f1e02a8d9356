import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homeFiles } from "../core/merkle-home.js";
import type { ClientName } from "./client.js";

/**
 * A file that marks this process as a peer's MCP server. The client's hooks use the file to detect whether
 * the server is running.
 */
export interface ServerPidFile {
  /**
   * Whether the client ran hooks before it started this server. If so, the server may have started during a
   * turn.
   */
  readonly isRestarted: boolean;
  /**
   * Records that the client has called this server. Returns whether this process is still the peer's server.
   */
  recordContact(): boolean;
  /** Records that the client cannot reach this server, so that the launch and the hook commands take over. */
  giveUp(): void;
  /** Removes the file if it still names this process. */
  remove(): void;
}

/**
 * How long a server counts as reachable after its client's last call. Allows for a busy machine on which a
 * hook's call to the server and a hook command run at the same time.
 */
const graceMs = 2_000;
/**
 * How long a client's first server counts as reachable before it receives a call, because the client may
 * still be connecting.
 */
const firstContactWindowMs = 24 * 60 * 60 * 1_000;

/**
 * Records this server and its client in a file. The server counts as reachable until the file's modification
 * time. If a hook command runs after that time, the client runs hooks but cannot reach its server (WAKE-15).
 */
export function writeServerPidFile(home: string, storedPeerId: string): ServerPidFile {
  const path = toPidPath(home, storedPeerId);
  const setFileTime = (ms: number) => {
    const time = new Date(ms);
    if (readServerPid(path) !== process.pid) return false;
    utimesSync(path, time, time);
    return true;
  };
  let isRestarted = false;
  try {
    // If the client has already run hooks, it may have started this server for a single hook and may never
    // use it again.
    isRestarted = readPids(path)[1] === process.ppid && readLastHookTime(home, storedPeerId) > 0;
    writeFileSync(path, `${process.pid} ${process.ppid}\n`, { mode: 0o600 });
    setFileTime(Date.now() + (isRestarted ? 0 : firstContactWindowMs));
  } catch {
    // If the home is not writable, it contains no stored peer either.
  }
  return {
    isRestarted,
    recordContact: () => setFileTime(Date.now() + graceMs),
    giveUp: () => void setFileTime(0),
    remove() {
      // Another server for the same peer may have started since.
      if (readServerPid(path) !== process.pid) return;
      for (const file of [path, toHookPath(home, storedPeerId)]) rmSync(file, { force: true });
    },
  };
}

/** Returns whether a peer's MCP server is running and its client can reach it. */
export function isServing(home: string, storedPeerId: string): boolean {
  const path = toPidPath(home, storedPeerId);
  const server = readServerPid(path);
  if (server === undefined) return false;
  try {
    process.kill(server, 0);
    return statSync(path).mtimeMs >= readLastHookTime(home, storedPeerId);
  } catch {
    return false;
  }
}

/**
 * A shell condition for hook commands. Succeeds if the client's server is running and received the previous
 * hook, if there is no peer, or if the hook belongs to a different client: one inside the launched one, or Cursor, which
 * can run Claude Code's hooks, too. Also records that a hook command has run.
 */
export const isServingInShell =
  '[ -z "$MERKLE_PEER" ] || [ -n "$CURSOR_VERSION" ] || { umask 077; f="$MERKLE_HOME/teams/$MERKLE_PEER"; read -r s c <"$f.pid"; ' +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in.
  '[ "${c:-$CLAUDE_PID}" != "${CLAUDE_PID:-$c}" ] || { kill -0 "$s" && [ ! "$f.hook" -nt "$f.pid" ] && echo >"$f.hook"; }; } 2>/dev/null';

/** Returns when a hook command of the client last ran, in milliseconds. */
export function readLastHookTime(home: string, storedPeerId: string): number {
  const stats = statSync(toHookPath(home, storedPeerId), { throwIfNoEntry: false });
  return stats?.mtimeMs ?? 0;
}

/** Stores the prompt to which a hook command responds. Returns the previously stored prompt. */
export function swapPrompt(home: string, storedPeerId: string, prompt: string): string {
  const path = toHookPath(home, storedPeerId);
  try {
    const before = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
    writeFileSync(path, `${prompt}\n`, { mode: 0o600 });
    return before;
  } catch {
    return "";
  }
}

const serverEndedReason = "its client is not connected to its MCP server";

/**
 * Returns the reason to show for a peer that is blocked because its server has ended. The remedy depends on
 * the client.
 */
export function describeServerEnded(client: ClientName): string {
  const advice =
    client === "claude" ? "type /mcp in its terminal and reconnect merkle" : "quit it, and launch it again";
  return `${serverEndedReason}: ${advice}`;
}

export function isServerEndedReason(reason: string | null): boolean {
  return reason?.startsWith(serverEndedReason) === true;
}

function toPidPath(home: string, storedPeerId: string): string {
  return join(homeFiles.teams(home), `${storedPeerId}.pid`);
}

function toHookPath(home: string, storedPeerId: string): string {
  return join(homeFiles.teams(home), `${storedPeerId}.hook`);
}

function readServerPid(path: string): number | undefined {
  return readPids(path)[0];
}

/** Returns the process ids in the file: first the server's, then its client's. */
function readPids(path: string): number[] {
  try {
    return readFileSync(path, "utf8")
      .trim()
      .split(" ")
      .map(Number)
      .filter((pid) => pid > 0);
  } catch {
    return [];
  }
}
