import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homeFiles } from "../core/merkle-home.js";
import type { ClientName } from "./client.js";

/** The note that this process is the MCP server of a peer, by which its client's hooks find it there or gone. */
export interface ServingNote {
  /** Whether the client has run hooks before it started this server, which it then may have done during a turn. */
  readonly isRestarted: boolean;
  /** Notes that the client has reached this server; returns whether it is the peer's server still. */
  hear(): boolean;
  /** Notes that the client does not reach this server, so that the launch and the hooks' commands act in its place. */
  giveUp(): void;
  /** Takes the note back. */
  remove(): void;
}

/** The server's hook and the command beside it run at the same time, on a machine that may be busy. */
const graceMs = 2_000;
/** The first server of a client, which the client has not reached yet, may still be connecting. */
const unheardMs = 24 * 60 * 60 * 1_000;

/**
 * Notes this server and its client in a file. The file's time says until when the client's hooks count as heard: a hook command
 * that ran later shows that the client runs hooks and does not reach its server with them (WAKE-15).
 */
export function noteServing(home: string, placeId: string): ServingNote {
  const path = servingFile(home, placeId);
  const dateFile = (ms: number) => {
    const until = new Date(ms);
    if (readServer(path) !== process.pid) return false;
    utimesSync(path, until, until);
    return true;
  };
  let isRestarted = false;
  try {
    // A client that has run hooks may start another server for one of them, and reach it with none.
    isRestarted = readNumbers(path)[1] === process.ppid && hookRanAt(home, placeId) > 0;
    writeFileSync(path, `${process.pid} ${process.ppid}\n`, { mode: 0o600 });
    dateFile(Date.now() + (isRestarted ? 0 : unheardMs));
  } catch {
    // Without a home there is no stored peer either.
  }
  return {
    isRestarted,
    hear: () => dateFile(Date.now() + graceMs),
    giveUp: () => void dateFile(0),
    remove() {
      // Another server of the same peer may have begun meanwhile.
      if (readServer(path) !== process.pid) return;
      for (const file of [path, hookFile(home, placeId)]) rmSync(file, { force: true });
    },
  };
}

/** Whether a peer's MCP server runs and its client reaches it. */
export function isServing(home: string, placeId: string): boolean {
  const path = servingFile(home, placeId);
  const server = readServer(path);
  if (server === undefined) return false;
  try {
    process.kill(server, 0);
    return statSync(path).mtimeMs >= hookRanAt(home, placeId);
  } catch {
    return false;
  }
}

/**
 * In the shell of a launched client: succeeds if its server runs and heard of the hook before this one, if the client has no peer,
 * or if it is another client that was started within. Notes that a hook runs.
 */
export const isServingInShell =
  '[ -z "$MERKLE_PEER" ] || { umask 077; f="$MERKLE_HOME/teams/$MERKLE_PEER"; read -r s c <"$f.pid"; ' +
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in.
  '[ "${c:-$CLAUDE_PID}" != "${CLAUDE_PID:-$c}" ] || { kill -0 "$s" && [ ! "$f.hook" -nt "$f.pid" ] && echo >"$f.hook"; }; } 2>/dev/null';

/** When a hook command of the client ran last, in milliseconds of the clock. */
export function hookRanAt(home: string, placeId: string): number {
  const stats = statSync(hookFile(home, placeId), { throwIfNoEntry: false });
  return stats?.mtimeMs ?? 0;
}

/** Notes the prompt whose hook a command answers; returns the one before it. */
export function swapPrompt(home: string, placeId: string, prompt: string): string {
  const path = hookFile(home, placeId);
  try {
    const before = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
    writeFileSync(path, `${prompt}\n`, { mode: 0o600 });
    return before;
  } catch {
    return "";
  }
}

const ended = "its client is not connected to its MCP server";

/** The reason that is given for a blocked peer while its server is gone: what its user does, depends on the client. */
export function serverEnded(client: ClientName): string {
  const advice =
    client === "claude" ? "type /mcp in its terminal and reconnect merkle" : "quit it, and launch it again";
  return `${ended}: ${advice}`;
}

export function isServerEnded(reason: string | null): boolean {
  return reason?.startsWith(ended) === true;
}

function servingFile(home: string, placeId: string): string {
  return join(homeFiles.teams(home), `${placeId}.pid`);
}

function hookFile(home: string, placeId: string): string {
  return join(homeFiles.teams(home), `${placeId}.hook`);
}

function readServer(path: string): number | undefined {
  return readNumbers(path)[0];
}

/** The processes that a note names: the server and its client. */
function readNumbers(path: string): number[] {
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
