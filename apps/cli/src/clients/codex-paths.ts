import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** Returns Codex's folder for this user. */
export function toCodexFolder(env: NodeJS.ProcessEnv): string {
  return env["CODEX_HOME"] || join(homedir(), ".codex");
}

/**
 * Finds the rollout file of a conversation. Rollouts are stored in folders by year, month and day of the
 * conversation's start.
 */
export async function findRollout(conversation: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  if (!/^[0-9a-f-]{36}$/.test(conversation)) return undefined;
  const folder = join(toCodexFolder(env), "sessions");
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  const file = files.find((each) => each.endsWith(`-${conversation}.jsonl`));
  return file === undefined ? undefined : join(folder, file);
}
