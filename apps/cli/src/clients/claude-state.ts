import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { claudePaths } from "./claude-paths.js";

/** What a Claude Code does: `busy`, `idle`, or `waiting` for its user. */
export interface ClaudeState {
  readonly kind?: unknown;
  readonly status?: unknown;
}

/** Reads the file in which Claude Code describes itself to other programs; empty while it is written, and in versions without one. */
export async function readClaudeState(
  pid: number | string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ClaudeState> {
  try {
    return Object(JSON.parse(await readFile(join(claudePaths(env).sessions, `${pid}.json`), "utf8")));
  } catch {
    return {};
  }
}
