import { readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Resumed } from "../clients/client.js";
import { listStoredPeers, type StoredPeer } from "../home/stored-peers.js";
import { isFree } from "../sessions/wanted-peer.js";

/**
 * The place that a conversation had when it was last launched, where its client is told to go on with one: free, and
 * held by this machine. Undefined when there is none; of the last one of a folder Claude Code alone leaves a trace.
 */
export async function findResumedPeer(
  resumes: Resumed,
  { home, meshId, cwd, env }: { home: string; meshId: string; cwd: string; env: NodeJS.ProcessEnv },
): Promise<StoredPeer | undefined> {
  const id = resumes === "latest" ? await findLatest(cwd, env) : resumes.id;
  if (id === undefined) return undefined;
  const places = await listStoredPeers(home, meshId);
  for (const place of places.filter((each) => each.claude_session_id === id)) {
    if (await isFree(home, place)) return place;
  }
  return undefined;
}

/** The conversation that `--continue` goes on with: the one of this folder that was written last. */
async function findLatest(cwd: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const config = env["CLAUDE_CONFIG_DIR"] || join(homedir(), ".claude");
  const folder = join(config, "projects", (await realpath(cwd)).replace(/[^A-Za-z0-9]/g, "-"));
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".jsonl"));
  const written = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  const [latest] = written.sort((a, b) => b.at - a.at);
  return latest?.name.replace(/\.jsonl$/, "");
}
