import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homeFiles } from "../core/merkle-home.js";
import type { ClientName } from "./client.js";

/** Notes that this process is the MCP server of a place, so that its client's hooks find it there or gone; returns how to take that back. */
export function noteServing(home: string, placeId: string): () => void {
  const path = servingFile(home, placeId);
  try {
    writeFileSync(path, String(process.pid), { mode: 0o600 });
  } catch {
    // Without a home there is no place either.
  }
  return () => {
    // Another server of the place may have begun meanwhile.
    if (readPid(path) === process.pid) rmSync(path, { force: true });
  };
}

/** Whether a place's MCP server runs. */
export function isServing(home: string, placeId: string): boolean {
  const pid = readPid(servingFile(home, placeId));
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** In the shell of a launched client: succeeds where its server runs, or it has no place. */
export const isServingInShell =
  '[ -z "$MERKLE_PEER" ] || kill -0 "$(cat "$MERKLE_HOME/teams/$MERKLE_PEER.pid" 2>/dev/null)" 2>/dev/null';

const ended = "its MCP server has exited";

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

function readPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, "utf8"));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}
