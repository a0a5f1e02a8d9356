import { access, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Where Claude Code keeps what is this user's; without a folder of the user's choice, one file lies beside the others' folder. */
export function claudePaths(env: NodeJS.ProcessEnv): {
  readonly config: string;
  readonly settings: string;
  readonly sessions: string;
} {
  const chosen = env["CLAUDE_CONFIG_DIR"];
  const folder = chosen || join(homedir(), ".claude");
  return {
    config: join(chosen || homedir(), ".claude.json"),
    settings: join(folder, "settings.json"),
    /** A file for each that runs, by its process: whether it is busy, idle, or waits for its user. */
    sessions: join(folder, "sessions"),
  };
}

/** Where Claude Code writes a conversation down; undefined where it has not, or keeps it elsewhere. */
export async function findClaudeTranscript(
  sessionId: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  // It becomes part of a path.
  if (!/^[0-9a-f-]{36}$/.test(sessionId)) return undefined;
  const folder = join(env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude"), "projects");
  for (const project of await readdir(folder).catch(() => [])) {
    const path = join(folder, project, `${sessionId}.jsonl`);
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere) return path;
  }
  return undefined;
}
