import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, lstat, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { NotPlainError } from "@merkle/db/files";
import { toObjectFormat } from "./blob-hash.js";
import { askGit, type GitRun } from "./git.js";
import { readRegularFile } from "./read-regular-file.js";
import type { Repository } from "./repository.js";
import { NotCurrent, RootProblem } from "./source-problems.js";

/** The index entry that a file must have, and the entry that replaces it. */
export interface IndexChange {
  readonly path: string;
  readonly mode: string;
  readonly from: string;
  readonly to: string;
}

/**
 * A repository's index, locked until it is released. Meanwhile no other process can change the index or
 * commit from it.
 */
export interface LockedIndex {
  /** Replaces the index with the prepared copy. */
  commit(): Promise<void>;
  release(): Promise<void>;
}

const lockTries = 20;
const lockTryEveryMs = 100;
const indexBytesMax = 512 * 1024 * 1024;

/**
 * Prepares a copy of the index with a file's new text, and puts the copy in place as Git's own lock file.
 * Concurrent `git commit` and `git add` commands then wait or fail, as they would for each other's lock. If
 * the index were not updated, someone's next commit would undo the new text.
 *
 * @throws NotCurrent if different text is staged for the file, or the lock cannot be acquired
 */
export async function lockIndex(repository: Repository, change: IndexChange): Promise<LockedIndex> {
  const { git } = repository;
  const [index, lock] = [git.toPath("index"), git.toPath("index.lock")];
  for (let tries = 0; tries < lockTries; tries += 1) {
    const prepared = `merkle-${randomUUID()}`;
    try {
      const before = await readStamp(index);
      const { mtime } = await copyIndex(repository, prepared);
      await stage(
        { ...repository, format: toObjectFormat(change.to), indexFile: join(git.path, prepared) },
        change,
      );
      await backdate(repository, prepared, mtime);
      await link(git.toPath(prepared), lock);
      // If the index has changed since it was copied, the copy may lack newly staged changes.
      if (before === (await readStamp(index))) {
        return { commit: () => rename(lock, index), release: () => unlock(lock, git.toPath(prepared)) };
      }
      await unlock(lock, git.toPath(prepared));
    } catch (error) {
      await rm(git.toPath(prepared), { force: true });
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

/** Copies the index file and returns the stat of the original. */
async function copyIndex({ git, user }: Repository, name: string) {
  const { bytes, stat } = await readRegularFile(git, "index", { bytesMax: indexBytesMax, user });
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

/**
 * Sets the modification time of the prepared index back to that of the original index. Git re-checks only
 * files that were modified in the same second as the index or later, so a newer time would hide changes.
 */
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

/** Age after which a lock file counts as left behind. No operation here takes nearly that long. */
const leftoverAfterMs = 60_000;

/**
 * Removes files that a killed broker left in the repository. Lock files created by other programs are not
 * touched.
 */
export async function clearLeftovers({ git }: Repository): Promise<void> {
  for (const name of await readdir(git.toPath("."))) {
    if (!/^merkle-[0-9a-f-]{36}(?:\.lock)?$/.test(name)) continue;
    const stats = await lstat(git.toPath(name)).catch(() => undefined);
    if (stats && Date.now() - stats.ctimeMs > leftoverAfterMs) {
      await unlock(git.toPath("index.lock"), git.toPath(name));
    }
  }
}

/**
 * Removes the lock file only if this broker created it. Once this broker has renamed its lock to the index, a
 * file with the lock's name may belong to another program.
 */
async function unlock(lock: string, prepared: string): Promise<void> {
  const [ours, theirs] = await Promise.all([findInode(prepared), findInode(lock)]);
  if (ours !== undefined && ours === theirs) await rm(lock, { force: true });
  await rm(prepared, { force: true });
}

async function findInode(path: string): Promise<bigint | undefined> {
  return (await lstat(path, { bigint: true }).catch(() => undefined))?.ino;
}

async function readStamp(path: string): Promise<string> {
  const { ino, mtimeNs, size } = await lstat(path, { bigint: true });
  return `${ino} ${mtimeNs} ${size}`;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
