import { access, readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Returns the paths of this user's Claude Code files. If CLAUDE_CONFIG_DIR is not set, `.claude.json` is
 * directly in the home folder.
 */
export function toClaudePaths(env: NodeJS.ProcessEnv): {
  readonly config: string;
  readonly settings: string;
  readonly sessions: string;
} {
  const configFolder = env["CLAUDE_CONFIG_DIR"];
  const folder = configFolder || join(homedir(), ".claude");
  return {
    config: join(configFolder || homedir(), ".claude.json"),
    settings: join(folder, "settings.json"),
    /**
     * The folder with one file per running process, which contains its status: busy, idle or waiting for its
     * user.
     */
    sessions: join(folder, "sessions"),
  };
}

/** Finds the transcript of a conversation. Returns undefined if no transcript is in Claude Code's folder. */
export async function findClaudeTranscript(
  sessionId: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  // Validate the id, because it becomes part of a path.
  if (!/^[0-9a-f-]{36}$/.test(sessionId)) return undefined;
  const folder = join(env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude"), "projects");
  for (const project of await readdir(folder).catch(() => [])) {
    const path = join(folder, project, `${sessionId}.jsonl`);
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) return path;
  }
  return undefined;
}
