import { readFileSync, type Stats, statSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { hasProc } from "./platform.js";

/**
 * Unsafe permissions of a path, and the command to fix them. The command is null if the current user cannot
 * fix them.
 */
export interface Stranger {
  readonly path: string;
  /** The rest of a sentence that begins with the path, such as "may be written by others (mode 0777)". */
  readonly problem: string;
  readonly mend: string | null;
}

export interface StrangersOptions {
  /** User that may own the path and write to it, besides root. Default: the user of this process. */
  readonly owner?: number | undefined;
  /** True if others must not read it either. */
  readonly secret?: boolean;
}

/**
 * Checks whether another user of this machine could change the file, or read it if it is a secret. `found`
 * should come from the handle through which the file is read. A group counts as other users only if it has
 * other members. Windows has no modes: the permissions of the user's own folder apply, and nothing is
 * reported.
 */
export function strangerOf(path: string, found: Stats, options: StrangersOptions = {}): Stranger | null {
  const us = process.getuid?.();
  const owner = options.owner ?? us;
  if (owner === undefined) return null;
  if (!isTrusted(found.uid, owner)) {
    const chown = `${us === 0 ? "" : "sudo "}chown -h ${nameOf(owner)} ${quoted(path)}`;
    const mend = owner === us ? chown : null;
    return { path, problem: `belongs to another user (${nameOf(found.uid)})`, mend };
  }
  // A link has no mode of its own. Anyone who can write to its folder can change its target.
  if (found.isSymbolicLink()) return null;
  const octal = (found.mode & 0o7777).toString(8).padStart(4, "0");
  const group = (found.mode & 0o070) !== 0 && hasOthers(found.gid, owner) ? 0o070 : 0;
  const chmod = (how: string) => (us === 0 || found.uid === us ? `chmod ${how} ${quoted(path)}` : null);
  if (options.secret && (found.mode & (0o007 | group)) !== 0) {
    const mend = chmod(found.isDirectory() ? "700" : "600");
    return { path, problem: `can be read by others (mode ${octal})`, mend };
  }
  if ((found.mode & (0o002 | (group & 0o020))) === 0) return null;
  return { path, problem: `can be written by others (mode ${octal})`, mend: chmod("go-w") };
}

/** Returns a sentence for people that includes what to do. */
export function describeStranger({ path, problem, mend }: Stranger): string {
  const advice = mend === null ? "Ask its owner to change that, or use another folder." : `Run: ${mend}`;
  return `${path} ${problem}. ${advice}`;
}

/**
 * Checks a path and every folder above it, because anyone who can write to one of those folders can replace
 * the path. Checks from the top down, so that others cannot replace a folder after it was checked.
 *
 * @throws system errors, such as ENOENT
 */
export async function findStrangerAbove(
  path: string,
  options: StrangersOptions = {},
): Promise<Stranger | null> {
  const real = await realpath(path);
  // Includes the targets of links on the path, which may in turn contain links.
  const ways = [resolve(path)];
  for (const way of ways) {
    for (const each of partsOf(way)) {
      if (each === real) continue;
      const found = await lstat(each);
      if (found.isSymbolicLink() && ways.length < linksMax) {
        ways.push(resolve(dirname(each), await readlink(each), relative(each, way)));
      }
      // In a folder with the sticky bit, users cannot rename or delete the files of others.
      if (found.isDirectory() && (found.mode & 0o1000) !== 0) found.mode = 0;
      const stranger = strangerOf(each, found, { owner: options.owner });
      // The folder belongs to another user, so the current user cannot fix its permissions.
      if (stranger) return found.uid === process.getuid?.() ? stranger : { ...stranger, mend: null };
    }
  }
  return strangerOf(real, await lstat(real), options);
}

/** The maximum number of links that Linux follows. */
const linksMax = 40;

/** Lists the path's ancestors from the top down, ending with the path itself. */
function partsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...partsOf(parent), path];
}

/**
 * Root can do anything regardless. In a user namespace, root has a different id: the owner of the top folder.
 */
function isTrusted(uid: number, owner: number): boolean {
  return uid === owner || uid === 0 || uid === statSync("/").uid;
}

/**
 * True if a group has members other than `owner` and root, according to `/etc/group` and `/etc/passwd`. A
 * group that is not listed there is assumed to have other members. Examples are groups of a directory
 * service, and every group on macOS, which stores users elsewhere.
 */
function hasOthers(gid: number, owner: number): boolean {
  if (!hasProc()) return true;
  const group = linesOf("/etc/group").find(([, , id]) => Number(id) === gid);
  if (!group) return true;
  const users = linesOf("/etc/passwd");
  const idOf = (name: string) => Number(users.find(([each]) => each === name)?.[2] ?? Number.NaN);
  const listed = (group[3] ?? "").split(",").filter(Boolean).map(idOf);
  const primary = users.filter(([, , , id]) => Number(id) === gid).map(([, , uid]) => Number(uid));
  return [...listed, ...primary].some((uid) => uid !== owner && uid !== 0);
}

function nameOf(uid: number): string {
  return linesOf("/etc/passwd").find(([, , id]) => Number(id) === uid)?.[0] ?? String(uid);
}

function linesOf(path: string): string[][] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .map((line) => line.split(":"));
  } catch {
    // Without the file, no user is known, and every group is assumed to have other members.
    return [];
  }
}

function quoted(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
