import { basename } from "node:path";
import type { Checkout } from "@merkle/wire";
import { findProject } from "../../sessions/find-project.js";
import { createGitReader, type ReadGit } from "../../sessions/git.js";
import { normaliseRemote } from "../../sessions/repository.js";

/** The most UTF-16 units of a name. A character has at most two. */
const nameCharsMax = 200;

/**
 * Reads where a folder's work happens and how much changed there, from Git on this machine. Null outside a repository, and if
 * Git is not installed.
 */
export async function readCheckout(folder: string): Promise<Omit<Checkout, "pull_request"> | null> {
  const git = createGitReader(folder);
  const [root, commonFolder, ownFolder] = await Promise.all([
    git("rev-parse", "--show-toplevel"),
    git("rev-parse", "--path-format=absolute", "--git-common-dir"),
    git("rev-parse", "--path-format=absolute", "--git-dir"),
  ]);
  if (root === null || commonFolder === null) return null;
  const [origin, branch, base, untracked] = await Promise.all([
    git("config", "--get", "remote.origin.url"),
    git("symbolic-ref", "--short", "--quiet", "HEAD"),
    findBase(git),
    git("ls-files", "--others", "--exclude-standard", "--full-name", ":/"),
  ]);
  const changes = await git("diff", "--no-ext-diff", "--no-textconv", "--numstat", base?.commit ?? "HEAD");
  const counts = sumChanges(changes ?? "");
  const repository = (origin && normaliseRemote(origin)) ?? (await findProject(folder)) ?? basename(root);
  return {
    repository: toLine(repository) ?? "/",
    branch: toLine(branch),
    worktree: ownFolder === commonFolder ? null : toLine(basename(root)),
    base: toLine(base?.name ?? null),
    ...counts,
    files: counts.files + countLines(untracked ?? ""),
  };
}

/** Returns where the work left the main branch. Null if there is no such branch: then only uncommitted changes count. */
async function findBase(git: ReadGit): Promise<{ name: string; commit: string } | null> {
  for (const name of ["origin/HEAD", "origin/main", "origin/master", "main", "master"]) {
    const commit = await git("merge-base", "HEAD", name);
    if (commit === null) continue;
    const branch = (await git("rev-parse", "--abbrev-ref", name)) ?? name;
    return { name: branch, commit };
  }
  return null;
}

/** Sums the lines of `git diff --numstat`. A binary file has no number of lines. */
function sumChanges(text: string): Pick<Checkout, "files" | "added" | "removed"> {
  const rows = text.split("\n").filter((line) => line !== "");
  const sum = (column: number) =>
    rows.reduce((total, row) => total + (Number.parseInt(row.split("\t")[column] ?? "", 10) || 0), 0);
  return { files: rows.length, added: sum(0), removed: sum(1) };
}

function countLines(text: string): number {
  return text === "" ? 0 : text.split("\n").length;
}

function toLine(text: string | null): string | null {
  const line = text?.replaceAll(/\p{C}/gu, "").trim() ?? "";
  return (
    [...line]
      .slice(0, nameCharsMax / 2)
      .join("")
      .trim() || null
  );
}
