import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { findPermissionProblem, findPermissionProblemAbove, type PermissionProblem } from "./strangers.js";

/**
 * Files in a Merkle home that contain secrets or define whom this machine trusts, and folders that contain
 * such files.
 */
const secrets = [
  ...["alert-key", "audit-key.json", "open.html", "seen-heads.json", "seen-logs.json", "witness-key.json"],
  "pg/password",
  ...["files", "forks", "members", "persons", "pins", "sealed", "teams", "witness"],
];

/**
 * Finds the first path in a Merkle home that has unsafe permissions. The home and its configuration must be
 * writable only by their user, and secrets must also be readable only by that user. Returns null if every
 * path is safe or the home does not exist yet.
 */
export async function findPermissionProblemInHome(home: string): Promise<PermissionProblem | null> {
  const stats = await stat(home).catch(ignoreUnreachable);
  if (!stats) return null;
  const config = join(home, "config.json");
  return (
    findPermissionProblem(home, stats) ??
    ((await lstat(config).catch(ignoreUnreachable)) ? await findProblemAt(config) : null) ??
    (await findFirst(secrets, (name) => findSecretProblem(join(home, name))))
  );
}

/**
 * Checks the configuration, which may be a link to a file elsewhere. In that case, the target is checked too.
 */
async function findProblemAt(path: string): Promise<PermissionProblem | null> {
  const stats = await lstat(path);
  return stats.isSymbolicLink() ? findPermissionProblemAbove(path) : findPermissionProblem(path, stats);
}

async function findSecretProblem(path: string): Promise<PermissionProblem | null> {
  const stats = await stat(path).catch(ignoreUnreachable);
  if (!stats) return null;
  const problem = findPermissionProblem(path, stats, { isSecret: true });
  if (problem || !stats.isDirectory()) return problem;
  return findFirst(await readdir(path).catch(() => []), (name) => findSecretProblem(join(path, name)));
}

async function findFirst(
  names: readonly string[],
  find: (name: string) => Promise<PermissionProblem | null>,
): Promise<PermissionProblem | null> {
  for (const name of names) {
    const problem = await find(name);
    if (problem) return problem;
  }
  return null;
}

/**
 * Treats a path that this user cannot access as missing. The code that later opens the path reports the
 * error.
 */
function ignoreUnreachable(error: NodeJS.ErrnoException): undefined {
  if (!["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes(error.code ?? "")) throw error;
}
