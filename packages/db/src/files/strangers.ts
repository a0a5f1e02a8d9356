import { readFileSync, type Stats, statSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { hasProc } from "./platform.js";

/**
 * A path with unsafe permissions, and the command that fixes them. The command is null if the current user
 * cannot fix them.
 */
export interface PermissionProblem {
  readonly path: string;
  /** The rest of a sentence that begins with the path, for example "can be written by others (mode 0777)". */
  readonly problem: string;
  readonly fixCommand: string | null;
}

export interface PermissionOptions {
  /**
   * User id that may own the path and write to it, in addition to root. Default: the user of this process.
   */
  readonly owner?: number | undefined;
  /** True if other users must not be able to read the path either. */
  readonly isSecret?: boolean;
}

/**
 * Checks whether another user on this machine could change a file, or could read it if it is secret. `found`
 * should come from the handle through which the file is read. A group counts as other users only if it has
 * other members. Windows has no modes and relies on the permissions of the user's own folder, so nothing is
 * reported there.
 */
export function findPermissionProblem(
  path: string,
  stats: Stats,
  options: PermissionOptions = {},
): PermissionProblem | null {
  const us = process.getuid?.();
  const owner = options.owner ?? us;
  if (owner === undefined) return null;
  if (!isTrusted(stats.uid, owner)) {
    const chown = `${us === 0 ? "" : "sudo "}chown -h ${findUserName(owner)} ${quotePath(path)}`;
    const fixCommand = owner === us ? chown : null;
    return { path, problem: `belongs to another user (${findUserName(stats.uid)})`, fixCommand };
  }
  // A link has no permissions. Any user that can write to the folder of the link can change its target.
  if (stats.isSymbolicLink()) return null;
  const octal = (stats.mode & 0o7777).toString(8).padStart(4, "0");
  const group = (stats.mode & 0o070) !== 0 && hasOtherMembers(stats.gid, owner) ? 0o070 : 0;
  const toChmodCommand = (how: string) =>
    us === 0 || stats.uid === us ? `chmod ${how} ${quotePath(path)}` : null;
  if (options.isSecret && (stats.mode & (0o007 | group)) !== 0) {
    const fixCommand = toChmodCommand(stats.isDirectory() ? "700" : "600");
    return { path, problem: `can be read by others (mode ${octal})`, fixCommand };
  }
  if ((stats.mode & (0o002 | (group & 0o020))) === 0) return null;
  return { path, problem: `can be written by others (mode ${octal})`, fixCommand: toChmodCommand("go-w") };
}

/** Returns a sentence for people that describes the problem and what to do about it. */
export function describePermissionProblem({ path, problem, fixCommand }: PermissionProblem): string {
  const advice =
    fixCommand === null ? "Ask its owner to change that, or use another folder." : `Run: ${fixCommand}`;
  return `${path} ${problem}. ${advice}`;
}

/**
 * Checks a path and every folder above it, because anyone who can write to one of those folders can replace
 * the path. Checks from the top down, so that no one can replace a folder after it was checked.
 *
 * @throws system errors, such as ENOENT
 */
export async function findPermissionProblemAbove(
  path: string,
  options: PermissionOptions = {},
): Promise<PermissionProblem | null> {
  const real = await realpath(path);
  // The paths to check. Targets of links are added to this list, because they may contain links as well.
  const ways = [resolve(path)];
  for (const way of ways) {
    for (const each of toAncestors(way)) {
      if (each === real) continue;
      const stats = await lstat(each);
      if (stats.isSymbolicLink() && ways.length < linksMax) {
        ways.push(resolve(dirname(each), await readlink(each), relative(each, way)));
      }
      // In a folder with the sticky bit, users cannot rename or delete each other's files, so its mode is
      // safe.
      if (stats.isDirectory() && (stats.mode & 0o1000) !== 0) stats.mode = 0;
      const problem = findPermissionProblem(each, stats, { owner: options.owner });
      // If the folder belongs to another user, the current user cannot fix its permissions.
      if (problem) return stats.uid === process.getuid?.() ? problem : { ...problem, fixCommand: null };
    }
  }
  return findPermissionProblem(real, await lstat(real), options);
}

/** The maximum number of links that are followed, as on Linux. */
const linksMax = 40;

/** Lists all folders above a path from the top down, followed by the path itself. */
function toAncestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...toAncestors(parent), path];
}

/**
 * Returns true for the owner and for root, who can do anything anyway. In a user namespace, root may have a
 * different id, which is the owner of the top folder.
 */
function isTrusted(uid: number, owner: number): boolean {
  return uid === owner || uid === 0 || uid === statSync("/").uid;
}

/**
 * Returns true if a group has members other than `owner` and root, according to `/etc/group` and
 * `/etc/passwd`. A group that is not listed there is assumed to have other members. That applies to groups
 * from a directory service, and to every group on macOS, which stores users elsewhere.
 */
function hasOtherMembers(gid: number, owner: number): boolean {
  if (!hasProc()) return true;
  const group = readRecords("/etc/group").find(([, , id]) => Number(id) === gid);
  if (!group) return true;
  const users = readRecords("/etc/passwd");
  const findUid = (name: string) => Number(users.find(([each]) => each === name)?.[2] ?? Number.NaN);
  const listed = (group[3] ?? "").split(",").filter(Boolean).map(findUid);
  const primary = users.filter(([, , , id]) => Number(id) === gid).map(([, , uid]) => Number(uid));
  return [...listed, ...primary].some((uid) => uid !== owner && uid !== 0);
}

function findUserName(uid: number): string {
  return readRecords("/etc/passwd").find(([, , id]) => Number(id) === uid)?.[0] ?? String(uid);
}

function readRecords(path: string): string[][] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.split(":"));
  } catch {
    // Without this file, users and groups are unknown, so every group is assumed to have other members.
    return [];
  }
}

function quotePath(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
