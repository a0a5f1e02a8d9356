import { readFileSync, type Stats, statSync } from "node:fs";
import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { hasProc } from "./platform.js";

/** Why something is not its owner's alone, and the command that mends it; null where whoever runs it cannot. */
export interface Stranger {
  readonly path: string;
  /** The rest of a sentence about the path, such as "may be written by others (mode 0777)". */
  readonly problem: string;
  readonly mend: string | null;
}

export interface StrangersOptions {
  /** The user that may own it besides root, and write to it; this process's unless told. */
  readonly owner?: number | undefined;
  /** Whether nobody else may read it either. */
  readonly secret?: boolean;
}

/**
 * Finds out whether another user of this machine could change, or of a secret read, what `found` was told of: best by the handle
 * that it is read through. A group counts as others only when somebody else is in it. Windows keeps no modes: there the rights of
 * the user's own folder decide, and nothing is found.
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
  // A link has no mode of its own: whoever may change its folder decides where it leads.
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

/** The sentence for a person, with what to do. */
export function describeStranger({ path, problem, mend }: Stranger): string {
  const advice = mend === null ? "Ask its owner to change that, or use another folder." : `Run: ${mend}`;
  return `${path} ${problem}. ${advice}`;
}

/**
 * The same of a folder and of every folder above it: whoever may write to one of those can put another in its place. From the
 * top down, so that what was looked at cannot be exchanged by others any more.
 *
 * @throws the system's errors, such as ENOENT
 */
export async function findStrangerAbove(
  path: string,
  options: StrangersOptions = {},
): Promise<Stranger | null> {
  const real = await realpath(path);
  // With what each link on the way leads to: that may lie elsewhere again.
  const ways = [resolve(path)];
  for (const way of ways) {
    for (const each of partsOf(way)) {
      if (each === real) continue;
      const found = await lstat(each);
      if (found.isSymbolicLink() && ways.length < linksMax) {
        ways.push(resolve(dirname(each), await readlink(each), relative(each, way)));
      }
      // In a folder with the sticky bit nobody renames or removes what is somebody else's.
      if (found.isDirectory() && (found.mode & 0o1000) !== 0) found.mode = 0;
      const stranger = strangerOf(each, found, { owner: options.owner });
      // Above it others are at home, who do not give that away.
      if (stranger) return found.uid === process.getuid?.() ? stranger : { ...stranger, mend: null };
    }
  }
  return strangerOf(real, await lstat(real), options);
}

/** As many as Linux follows. */
const linksMax = 40;

/** From the top down, the path itself last. */
function partsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...partsOf(parent), path];
}

/** Root can do everything anyway. In a user namespace it has another number: that of who owns the top folder. */
function isTrusted(uid: number, owner: number): boolean {
  return uid === owner || uid === 0 || uid === statSync("/").uid;
}

/**
 * Whether a group has members other than its owner and root, by `/etc/group` and `/etc/passwd`. One that does not stand there
 * (a directory service's, or any on macOS, which keeps users elsewhere) is taken to have some.
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
    // Without it nobody is known, and every group counts as having others.
    return [];
  }
}

function quoted(path: string): string {
  return /^[\w@%+=:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
