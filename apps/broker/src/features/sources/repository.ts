import { execFile } from "node:child_process";
import { lstat, readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import {
  canOpenByHandle,
  describePermissionProblem,
  findPermissionProblemAbove,
  NotPlainError,
  type OpenFolder,
  openFolder,
} from "@merkle/db/files";
import { RootProblem } from "./source-problems.js";

/**
 * A Git repository that is completely inside its own folder. The folder and its `.git` stay open while the
 * repository is in use.
 */
export interface Repository {
  readonly folder: OpenFolder;
  /** The `.git` folder. */
  readonly git: OpenFolder;
  /**
   * The user that runs Git and must own all files. Set to the folder's owner if the broker runs as the user
   * root and someone else owns the folder.
   */
  readonly user: RootUser | undefined;
  /** The broker's folder that contains the replacement for `.git`. See `runGit`. */
  readonly ownFolder: string;
  /** The `PATH` for finding `git`. If undefined, the system's folders are used. */
  readonly searchPath: string | undefined;
}

/** The folders on the broker's machine that Git uses. */
export interface GitHome {
  /** The Merkle home, which contains a folder for Git. */
  readonly home: string;
  readonly searchPath?: string | undefined;
}

export interface RootUser {
  readonly uid: number;
  readonly gid: number;
}

/** Folder for files that other users must be able to read, if the broker runs as root. */
const systemFolder = "/var/lib/merkle";

/** Files in a repository that redirect Git to another location, for everything or only for objects. */
const pointers = ["commondir", "objects/info/alternates", "objects/info/http-alternates"];

/**
 * Opens the repository of a root while `work` runs. The root must be the top folder of a repository that is
 * completely inside it, and only its owner may have permission to change or replace the folder. Any other
 * repository is left untouched (SOURCE-4).
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
    const user = await findUser(folder);
    const git = await openGit(folder);
    try {
      requireOwned(git, user);
      await requireSelfContained(git);
      return await work({ folder, git, user, ownFolder: user ? systemFolder : home, searchPath });
    } finally {
      await git.close();
    }
  } finally {
    await folder.close();
  }
}

/**
 * Refuses a file that the root's owner could not open without the broker. Otherwise, a broker that runs as
 * the user root could follow a link, made by the owner, to another user's file.
 *
 * @throws RootProblem
 */
export function requireOwned(
  { uid, path }: Pick<OpenFolder, "uid" | "path">,
  user: RootUser | undefined,
): void {
  if (user === undefined || user.uid === uid) return;
  throw new RootProblem(`${path} belongs to a different user than the root folder.`);
}

async function openRoot(root: string): Promise<OpenFolder> {
  if (!isAbsolute(root)) throw new RootProblem(`${root} is not an absolute path.`);
  const folder = await openFolder(root).catch(() => undefined);
  if (folder === undefined) throw new RootProblem(`There is no folder ${root}.`);
  try {
    // A broker that runs as the user root accepts a folder of any owner, and acts as that owner.
    const owner = process.getuid?.() === 0 ? folder.uid : undefined;
    const stranger = await findPermissionProblemAbove(root, { owner });
    if (!stranger) return folder;
    throw new RootProblem(
      `A root folder must be writable only by its owner: ${describePermissionProblem(stranger)}`,
    );
  } catch (error) {
    await folder.close();
    throw error;
  }
}

async function findUser({ uid, gid, path }: OpenFolder): Promise<RootUser | undefined> {
  if (process.getuid?.() !== 0 || uid === 0) return undefined;
  if (!canOpenByHandle) {
    throw new RootProblem(
      `${path} belongs to another user, and only a broker on Linux can work as another user. Run the broker as that user.`,
    );
  }
  const primaryGroup = await promisify(execFile)("id", ["-g", String(uid)]).catch(() => undefined);
  // For a user without an account entry, the folder's group is used, but never root's group.
  return { uid, gid: primaryGroup ? Number(primaryGroup.stdout) : gid || uid };
}

async function openGit(folder: OpenFolder): Promise<OpenFolder> {
  try {
    return await folder.openFolder(".git");
  } catch (error) {
    throw new RootProblem(
      error instanceof NotPlainError
        ? `${join(folder.path, ".git")} is not a folder: work trees and submodules of another repository cannot be roots. Name the repository itself.`
        : `${folder.path} is not the top folder of a Git repository.`,
      { cause: error },
    );
  }
}

async function requireSelfContained(git: OpenFolder): Promise<void> {
  for (const each of pointers) {
    if (await lstat(join(git.toPath("."), each)).catch(() => undefined))
      throw outsideRepository(join(git.path, each));
  }
  if (await lstat(git.toPath("reftable")).catch(() => undefined)) {
    throw new RootProblem(`${git.path} stores its branches as reftable, which Merkle cannot read.`);
  }
  const objects = await git.openFolder("objects").catch((cause: unknown) => {
    throw new RootProblem(`${join(git.path, "objects")} is not a folder inside the repository.`, { cause });
  });
  try {
    for (const each of await readdir(objects.toPath("."), { withFileTypes: true })) {
      if (each.isSymbolicLink()) throw outsideRepository(join(objects.path, each.name));
    }
  } finally {
    await objects.close();
  }
}

function outsideRepository(path: string): RootProblem {
  return new RootProblem(`${path} points outside the repository.`);
}
