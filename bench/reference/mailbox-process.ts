import { execFile } from "node:child_process";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { servePosts } from "./post-server.js";

/** Every object and reference is synced before the commit returns, as PostgreSQL syncs its log. */
const settings = {
  "core.fsync": "all",
  "user.name": "Bench",
  "user.email": "bench@localhost",
  "commit.gpgSign": "false",
  // Packing old objects would run beside the measurement.
  "gc.auto": "0",
  "maintenance.auto": "false",
};

/**
 * A mailbox in a Git repository: a file and a commit for each post. Git locks its index, so one post is committed after
 * the other.
 */
servePosts(async ({ folder }, deliver) => {
  const repository = await mkdtemp(join(folder, "mailbox-"));
  const run = promisify(execFile);
  const git = (...words: readonly string[]) => run("git", words, { cwd: repository });
  await git("init", "--quiet");
  for (const [name, value] of Object.entries(settings)) await git("config", name, value);

  let sequence = 0;
  let lastCommit: Promise<unknown> = Promise.resolve();

  async function commit(content: string): Promise<number> {
    sequence += 1;
    const file = `${sequence}.json`;
    await writeFile(join(repository, file), content);
    await git("add", file);
    await git("commit", "--quiet", "--message", `Message ${sequence}`);
    return sequence;
  }

  return {
    async add({ session_id, content }) {
      const committed = lastCommit.then(() => commit(content));
      lastCommit = committed;
      const number = await committed;
      deliver({ session_id, content, sequence: number });
      return number;
    },
    close: async () => undefined,
  };
});
