import { chmod, mkdtemp, readdir, readFile, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Gives `work` a Merkle home that is removed afterwards, with everything that was stored for it. */
export async function withTemporaryHome<Result>(work: (home: string) => Promise<Result>): Promise<Result> {
  const home = await mkdtemp(join(tmpdir(), "merkle-demo-"));
  try {
    // A broker that root runs has its PostgreSQL run as another user, who must get through to the data.
    await chmod(home, 0o711);
    return await work(home);
  } finally {
    await removeHome(home);
  }
}

async function removeHome(home: string): Promise<void> {
  const folder = join(home, "pg");
  for (const name of await readdir(folder).catch((): string[] => []))
    await removeAway(home, join(folder, name));
  await rm(home, { recursive: true, force: true });
}

/** Where that user did not get through, the home holds a link, and the data's own folder names the home. */
async function removeAway(home: string, link: string): Promise<void> {
  const data = await readlink(link).catch(() => undefined);
  if (data === undefined) return;
  const area = dirname(dirname(data));
  const owner = await readFile(join(area, "home"), "utf8").catch(() => undefined);
  if (owner === home) await rm(area, { recursive: true, force: true });
}
