import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { findStrangerAbove, type Stranger, strangerOf } from "./strangers.js";

/** Files of a Merkle home that hold a secret, or decide whom this machine believes, and folders of such files. */
const secrets = [
  ...["alert-key", "audit-key.json", "open.html", "seen-heads.json", "pg/password"],
  ...["members", "persons", "pins", "sealed", "teams"],
];

/**
 * Finds what of a Merkle home is not its user's alone: the home or its configuration, which others may not write, and whatever
 * holds a secret, which they may not read either. A home that is not there yet has nothing of the kind.
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

/** A configuration may be a link, to where its user keeps such files: then that place counts as well. */
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

/** A path that this user cannot look at counts as missing: whoever opens it reports the error. */
function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (!["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(error.code ?? "")) throw error;
}
