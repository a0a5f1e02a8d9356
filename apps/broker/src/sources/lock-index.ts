import { randomUUID } from "node:crypto";
import { copyFile, link, lstat, readdir, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Repository } from "./check-repository.js";
import { askGit } from "./git.js";
import { NotCurrent } from "./source-problems.js";

/** One file's entry: what it is expected to be, and what it becomes. */
export interface IndexChange {
  readonly path: string;
  readonly mode: string;
  readonly from: string;
  readonly to: string;
}

/** The repository's index, which nobody else changes, nor commits from, until it is released. */
export interface LockedIndex {
  /** Makes the change. */
  commit(): Promise<void>;
  release(): Promise<void>;
}

const lockTries = 20;
const lockTryEveryMs = 100;

/**
 * Prepares the index with a file's new text in it, and takes Git's own lock by putting it there: `git commit` and `git add` of
 * others wait or fail as they do among themselves. Without this the next commit of somebody would take the text back.
 *
 * @throws NotCurrent when another text of the file is staged, or the lock is not to be had
 */
export async function lockIndex(repository: Repository, change: IndexChange): Promise<LockedIndex> {
  const index = join(repository.gitFolder, "index");
  const lock = `${index}.lock`;
  for (let tries = 0; tries < lockTries; tries += 1) {
    const prepared = join(repository.gitFolder, `merkle-${randomUUID()}`);
    try {
      const before = await stampOf(index);
      const { mtime } = await lstat(index);
      await copyFile(index, prepared);
      await stage({ ...repository, indexFile: prepared }, change);
      // Git looks anew at whatever was changed in the second of its index, or later: with a newer one it would miss that.
      mtime.setMilliseconds(0);
      await utimes(prepared, mtime, mtime);
      await link(prepared, lock);
      // What was staged between the copy and the lock is not in the copy.
      if (before === (await stampOf(index))) {
        return { commit: () => rename(lock, index), release: () => unlock(lock, prepared) };
      }
      await unlock(lock, prepared);
    } catch (error) {
      await rm(prepared, { force: true });
      if (hasCode(error, "ENOENT")) throw new NotCurrent("The repository has no index.");
      if (!hasCode(error, "EEXIST")) throw error;
    }
    await delay(lockTryEveryMs);
  }
  throw new NotCurrent(
    `Git is at work in the repository. If it is not, somebody's git has died in it: remove ${lock} then.`,
  );
}

async function stage(
  run: Repository & { readonly indexFile: string },
  { path, mode, from, to }: IndexChange,
): Promise<void> {
  const staged = await askGit(["ls-files", "-s", "-z", "--full-name", "--", path], run);
  const hash = /^\d{6} ([0-9a-f]+) 0\t/.exec(staged)?.[1];
  if (hash === to) return;
  if (hash !== from)
    throw new NotCurrent("Another text of the file is staged. Commit it first, or take it back.");
  await askGit(["update-index", "--cacheinfo", `${mode},${to},${path}`], run);
}

/** Nothing here takes nearly so long. */
const leftoverAfterMs = 60_000;

/** Removes what a broker that was killed at work left in the repository; a lock that is another file than ours stays. */
export async function clearLeftovers({ gitFolder }: Repository): Promise<void> {
  for (const name of await readdir(gitFolder)) {
    if (!/^merkle-[0-9a-f-]{36}(?:\.lock)?$/.test(name)) continue;
    const path = join(gitFolder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found && Date.now() - found.ctimeMs > leftoverAfterMs) {
      await unlock(join(gitFolder, "index.lock"), path);
    }
  }
}

/** Ours alone: once renamed, the lock's name may be somebody else's. */
async function unlock(lock: string, prepared: string): Promise<void> {
  const [ours, theirs] = await Promise.all([inodeOf(prepared), inodeOf(lock)]);
  if (ours !== undefined && ours === theirs) await rm(lock, { force: true });
  await rm(prepared, { force: true });
}

async function inodeOf(path: string): Promise<bigint | undefined> {
  return (await lstat(path, { bigint: true }).catch(() => undefined))?.ino;
}

async function stampOf(path: string): Promise<string> {
  const { ino, mtimeNs, size } = await lstat(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
