import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { findStrangerAbove, type Stranger, strangerOf } from "./strangers.js";

/**
 * Files of a Merkle home that contain secrets or define whom this machine trusts, and folders of such files.
 */
const secrets = [
  ...["alert-key", "audit-key.json", "open.html", "seen-heads.json", "pg/password"],
  ...["members", "persons", "pins", "sealed", "teams"],
];

/**
 * Finds the first path of a Merkle home with unsafe permissions: the home or its configuration if others can
 * write to it, or a secret if others can also read it. Returns null if the home does not exist yet.
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

/** The configuration may be a link to where its user keeps such files. The target is then checked too. */
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

/** A path that this user cannot access counts as missing. The code that opens it reports the error. */
function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (!["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(error.code ?? "")) throw error;
}
