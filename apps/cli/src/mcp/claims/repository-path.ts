import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";

/**
 * Where a file is in the repository that somebody works in, with slashes between folders; null for one outside of it, or in
 * another repository within it. The file need not be there yet.
 */
export function pathInRepository(file: string, cwd: string): string | null {
  const root = findRoot(realPath(resolve(cwd)));
  if (root === null) return null;
  const path = realPath(resolve(cwd, file));
  return findRoot(dirname(path)) === root ? relative(root, path).split(sep).join("/") : null;
}

/** The folder that holds `.git`, which in a worktree is a file. */
function findRoot(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return null;
  }
}

/** Links followed as far as there is something: two names of one file are one file. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
