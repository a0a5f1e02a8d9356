import { lstat, readdir, readFile, realpath } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { RootProblem } from "./source-problems.js";

/** A repository that keeps all that is its own in its own folder. Both paths are real ones. */
export interface Repository {
  readonly folder: string;
  readonly gitFolder: string;
  /** A folder of the broker's own with nothing in it. */
  readonly emptyFolder: string;
}

/** What Git reads from, or appends to: through a link it would be somebody else's. */
const ownPaths = [
  ...["HEAD", "config", "config.worktree", "index", "packed-refs", "reftable", "shallow"],
  ...["objects", "objects/info", "objects/pack", "refs", "refs/heads"],
  ...["logs", "logs/HEAD", "logs/refs", "logs/refs/heads"],
];

/** What would have Git look elsewhere: for everything, or for objects. */
const pointers = ["commondir", "objects/info/alternates", "objects/info/http-alternates"];

const configBytesMax = 256 * 1024;

/**
 * Looks whether a root can be used: it is the top folder of a repository that lies in it whole. A file `.git`, links, borrowed
 * objects and configuration that takes in other files all lead out of it, so a repository with them is not touched (SOURCE-4).
 *
 * @throws RootProblem
 */
export async function checkRepository(root: string, emptyFolder: string): Promise<Repository> {
  const folder = isAbsolute(root) ? await realpath(root).catch(() => undefined) : undefined;
  if (folder === undefined) throw new RootProblem(`There is no folder ${root}.`);
  const gitFolder = join(folder, ".git");
  const found = await lstat(gitFolder).catch(() => undefined);
  if (!found?.isDirectory()) {
    throw new RootProblem(
      found
        ? `${gitFolder} is not a folder: work trees and submodules of another repository cannot be roots. Name the repository itself.`
        : `${folder} is not the top folder of a Git repository.`,
    );
  }
  for (const each of ownPaths) await requirePlain(gitFolder, each);
  for (const each of pointers) await requireNone(gitFolder, each);
  for (const each of await readdir(join(gitFolder, "objects"), { withFileTypes: true })) {
    if (each.isSymbolicLink()) throw leadsOut(join(gitFolder, "objects", each.name));
  }
  for (const each of ["config", "config.worktree"]) await requireOwnConfig(join(gitFolder, each));
  return { folder, gitFolder, emptyFolder };
}

/**
 * Each part of this path in the folder is a file or folder of its own, or is not there at all.
 *
 * @throws RootProblem
 */
export async function requirePlain(folder: string, path: string): Promise<void> {
  const found = await lstat(join(folder, path)).catch(() => undefined);
  if (!found || found.isFile() || found.isDirectory()) return;
  throw leadsOut(join(folder, path));
}

async function requireNone(folder: string, path: string): Promise<void> {
  if (await lstat(join(folder, path)).catch(() => undefined)) throw leadsOut(join(folder, path));
}

async function requireOwnConfig(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (!found) return;
  if (found.size > configBytesMax) throw new RootProblem(`${path} is larger than any configuration of Git.`);
  // A section begins with this wherever it stands. What only mentions it is refused as well, which costs a line.
  if (/\[\s*include/i.test(await readFile(path, "utf8"))) {
    throw new RootProblem(`${path} takes in other files ([include]), which may lie anywhere. Take that out.`);
  }
}

function leadsOut(path: string): RootProblem {
  return new RootProblem(`${path} leads out of the repository.`);
}
