import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, lstat, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { NotPlainError } from "@merkle/db/files";
import { formatOf } from "./blob-hash.js";
import { askGit, type GitRun } from "./git.js";
import { readHeld } from "./read-held.js";
import type { Repository } from "./repository.js";
import { NotCurrent, RootProblem } from "./source-problems.js";

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
const indexBytesMax = 512 * 1024 * 1024;

/**
 * Prepares the index with a file's new text in it, and takes Git's own lock by putting it there: `git commit` and `git add` of
 * others wait or fail as they do among themselves. Without this the next commit of somebody would take the text back.
 *
 * @throws NotCurrent when another text of the file is staged, or the lock is not to be had
 */
export async function lockIndex(repository: Repository, change: IndexChange): Promise<LockedIndex> {
  const { git } = repository;
  const [index, lock] = [git.at("index"), git.at("index.lock")];
  for (let tries = 0; tries < lockTries; tries += 1) {
    const prepared = `merkle-${randomUUID()}`;
    try {
      const before = await stampOf(index);
      const { mtime } = await copyIndex(repository, prepared);
      await stage(
        { ...repository, format: formatOf(change.to), indexFile: join(git.path, prepared) },
        change,
      );
      await backdate(repository, prepared, mtime);
      await link(git.at(prepared), lock);
      // A change that was staged between the copy and the lock is not in the copy.
      if (before === (await stampOf(index))) {
        return { commit: () => rename(lock, index), release: () => unlock(lock, git.at(prepared)) };
      }
      await unlock(lock, git.at(prepared));
    } catch (error) {
      await rm(git.at(prepared), { force: true });
      if (error instanceof NotPlainError) throw new RootProblem(error.message, { cause: error });
      if (hasCode(error, "ENOENT")) throw new NotCurrent("The repository has no index.");
      if (!hasCode(error, "EEXIST")) throw error;
    }
    await delay(lockTryEveryMs);
  }
  throw new NotCurrent(
    `Another Git process is using the repository. If none is running, one has crashed: remove ${join(git.path, "index.lock")}`,
  );
}

/** Returns what the system says of the index that was copied. */
async function copyIndex({ git, user }: Repository, name: string) {
  const { bytes, stat } = await readHeld(git, "index", { bytesMax: indexBytesMax, user });
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const copy = await git.open(name, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    if (user) await copy.chown(user.uid, user.gid);
    await copy.writeFile(bytes);
    await copy.chmod(stat.mode & 0o777);
  } finally {
    await copy.close();
  }
  return stat;
}

/** Git compares again every file that was changed in the second of its index or later; a newer index would hide such a change. */
async function backdate({ git }: Repository, name: string, mtime: Date): Promise<void> {
  const prepared: FileHandle = await git.open(name, constants.O_RDWR);
  try {
    const second = Math.floor(mtime.getTime() / 1_000);
    await prepared.utimes(second, second);
  } finally {
    await prepared.close();
  }
}

async function stage(run: GitRun, { path, mode, from, to }: IndexChange): Promise<void> {
  const staged = await askGit(["ls-files", "-s", "-z", "--full-name", "--", path], run);
  const hash = /^\d{6} ([0-9a-f]+) 0\t/.exec(staged)?.[1];
  if (hash === to) return;
  if (hash !== from) throw new NotCurrent("The file has staged changes. Commit or unstage them first.");
  await askGit(["update-index", "--cacheinfo", `${mode},${to},${path}`], run);
}

/** Nothing here takes nearly so long. */
const leftoverAfterMs = 60_000;

/** Removes what a broker that was killed at work left in the repository; a lock that is another file than ours stays. */
export async function clearLeftovers({ git }: Repository): Promise<void> {
  for (const name of await readdir(git.at("."))) {
    if (!/^merkle-[0-9a-f-]{36}(?:\.lock)?$/.test(name)) continue;
    const found = await lstat(git.at(name)).catch(() => undefined);
    if (found && Date.now() - found.ctimeMs > leftoverAfterMs) {
      await unlock(git.at("index.lock"), git.at(name));
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
