import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { findStrangerAbove, type Stranger, strangerOf } from "./strangers.js";

/**
 * Files in a Merkle home that contain secrets or define whom this machine trusts, and folders that contain
 * such files.
 */
const secrets = [
  ...["alert-key", "audit-key.json", "open.html", "seen-heads.json", "pg/password"],
  ...["members", "persons", "pins", "sealed", "teams"],
];

/**
 * Finds the first path in a Merkle home that has unsafe permissions. The home and its configuration must be
 * writable only by their user, and secrets must also be readable only by that user. Returns null if every
 * path is safe or the home does not exist yet.
 */
export async function findStrangerInHome(home: string): Promise<Stranger | null> {
  const found = await stat(home).catch(unlessMissing);
  if (!found) return null;
  const config = join(home, "config.json");
  return (
    strangerOf(home, found) ??
    ((await lstat(config).catch(unlessMissing)) ? await findStrangerAt(config) : null) ??
    (await findFirst(secrets, (name) => findSecretStranger(join(home, name))))
  );
}

/**
 * Checks the configuration, which may be a link to a file elsewhere. In that case, the target is checked too.
 */
async function findStrangerAt(path: string): Promise<Stranger | null> {
  const found = await lstat(path);
  return found.isSymbolicLink() ? findStrangerAbove(path) : strangerOf(path, found);
}

async function findSecretStranger(path: string): Promise<Stranger | null> {
  const found = await stat(path).catch(unlessMissing);
  if (!found) return null;
  const stranger = strangerOf(path, found, { secret: true });
  if (stranger || !found.isDirectory()) return stranger;
  return findFirst(await readdir(path).catch(() => []), (name) => findSecretStranger(join(path, name)));
}

async function findFirst(
  names: readonly string[],
  find: (name: string) => Promise<Stranger | null>,
): Promise<Stranger | null> {
  for (const name of names) {
    const stranger = await find(name);
    if (stranger) return stranger;
  }
  return null;
}

/**
 * Treats a path that this user cannot access as missing. The code that later opens the path reports the
 * error.
 */
function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (!["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(error.code ?? "")) throw error;
}
