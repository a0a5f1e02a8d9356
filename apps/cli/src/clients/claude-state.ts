import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { toClaudePaths } from "./claude-paths.js";

/** The state of a Claude Code process. `status` is `busy`, `idle` or `waiting` (for its user). */
export interface ClaudeState {
  readonly kind?: unknown;
  readonly status?: unknown;
  /** When the status changed last, as a number. */
  readonly statusUpdatedAt?: unknown;
  readonly messagingSocketPath?: unknown;
}

/**
 * Reads the file in which Claude Code reports its state to other programs. Returns an empty object if the
 * file is missing or incomplete, or if this version of Claude Code writes no such file.
 */
export async function readClaudeState(
  pid: number | string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<ClaudeState> {
  try {
    return Object(JSON.parse(await readFile(join(toClaudePaths(env).sessions, `${pid}.json`), "utf8")));
  } catch {
    return {};
  }
}
