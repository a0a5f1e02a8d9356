import { execFile } from "node:child_process";
import { lstat, readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import {
  describeStranger,
  findStrangerAbove,
  type HeldFolder,
  holdFolder,
  holdsFolders,
  NotPlainError,
} from "@merkle/db/files";
import { RootProblem } from "./source-problems.js";

/** A repository that keeps all that is its own in its own folder. Its folders are held open while something is done to it. */
export interface Repository {
  readonly folder: HeldFolder;
  /** `.git` */
  readonly git: HeldFolder;
  /** As whom Git runs, and whose every file must be: the root's owner, where the broker is root and they are not. */
  readonly user: RootUser | undefined;
  /** A folder of the broker's own, for Git's own folder; see `runGit`. */
  readonly ownFolder: string;
  /** `PATH`, in which `git` is looked for; the system's own folders where there is none. */
  readonly searchPath: string | undefined;
}

/** The folders of the broker's machine that Git is given. */
export interface GitHome {
  /** The Merkle home, in which Git has a folder of its own. */
  readonly home: string;
  readonly searchPath?: string | undefined;
}

export interface RootUser {
  readonly uid: number;
  readonly gid: number;
}

/** Where a broker that is root keeps what other users have to reach. */
const systemFolder = "/var/lib/merkle";

/** The files of a repository that would have Git look elsewhere: for everything, or for objects. */
const pointers = ["commondir", "objects/info/alternates", "objects/info/http-alternates"];

/**
 * Opens the repository of a root for as long as `work` takes. It is the top folder of one that lies in it whole, and nobody
 * but its owner may change it, or put another folder in its place; any other is not touched (SOURCE-4).
 *
 * @throws RootProblem
 */
export async function withRepository<Result>(
  root: string,
  { home, searchPath }: GitHome,
  work: (repository: Repository) => Promise<Result>,
): Promise<Result> {
  const folder = await openRoot(root);
  try {
    const user = await userOf(folder);
    const git = await openGit(folder);
    try {
      requireOwned(git, user);
      await requireWhole(git);
      return await work({ folder, git, user, ownFolder: user ? systemFolder : home, searchPath });
    } finally {
      await git.close();
    }
  } finally {
    await folder.close();
  }
}

/**
 * Refuses what the root's owner could not have opened themselves: a broker that is root opens for them, and they may have put a
 * link to somebody's file there.
 *
 * @throws RootProblem
 */
export function requireOwned(
  { uid, path }: Pick<HeldFolder, "uid" | "path">,
  user: RootUser | undefined,
): void {
  if (user === undefined || user.uid === uid) return;
  throw new RootProblem(`${path} belongs to a different user than the root folder.`);
}

async function openRoot(root: string): Promise<HeldFolder> {
  if (!isAbsolute(root)) throw new RootProblem(`${root} is not an absolute path.`);
  const folder = await holdFolder(root).catch(() => undefined);
  if (folder === undefined) throw new RootProblem(`There is no folder ${root}.`);
  try {
    // A broker that is root serves whosever root it is, as them.
    const owner = process.getuid?.() === 0 ? folder.uid : undefined;
    const stranger = await findStrangerAbove(root, { owner });
    if (!stranger) return folder;
    throw new RootProblem(`A root folder must be writable only by its owner: ${describeStranger(stranger)}`);
  } catch (error) {
    await folder.close();
    throw error;
  }
}

async function userOf({ uid, gid, path }: HeldFolder): Promise<RootUser | undefined> {
  if (process.getuid?.() !== 0 || uid === 0) return undefined;
  if (!holdsFolders) {
    throw new RootProblem(
      `${path} belongs to another user, and only a broker on Linux can work as another user. Run the broker as that user.`,
    );
  }
  const named = await promisify(execFile)("id", ["-g", String(uid)]).catch(() => undefined);
  // A user without a name has the group that their folder has; root's they have not, whatever the folder says.
  return { uid, gid: named ? Number(named.stdout) : gid || uid };
}

async function openGit(folder: HeldFolder): Promise<HeldFolder> {
  try {
    return await folder.folder(".git");
  } catch (error) {
    throw new RootProblem(
      error instanceof NotPlainError
        ? `${join(folder.path, ".git")} is not a folder: work trees and submodules of another repository cannot be roots. Name the repository itself.`
        : `${folder.path} is not the top folder of a Git repository.`,
      { cause: error },
    );
  }
}

async function requireWhole(git: HeldFolder): Promise<void> {
  for (const each of pointers) {
    if (await lstat(join(git.at("."), each)).catch(() => undefined)) throw leadsOut(join(git.path, each));
  }
  if (await lstat(git.at("reftable")).catch(() => undefined)) {
    throw new RootProblem(`${git.path} stores its branches as reftable, which Merkle cannot read.`);
  }
  const objects = await git.folder("objects").catch((cause: unknown) => {
    throw new RootProblem(`${join(git.path, "objects")} is not a folder inside the repository.`, { cause });
  });
  try {
    for (const each of await readdir(objects.at("."), { withFileTypes: true })) {
      if (each.isSymbolicLink()) throw leadsOut(join(objects.path, each.name));
    }
  } finally {
    await objects.close();
  }
}

function leadsOut(path: string): RootProblem {
  return new RootProblem(`${path} points outside the repository.`);
}
