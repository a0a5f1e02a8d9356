import { constants } from "node:fs";
import { type FileHandle, mkdir, rename, rm } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { NotPlainError, type OpenFolder, openFolderBeneath } from "@merkle/db/files";
import { readRegularFile } from "./read-regular-file.js";
import { type Repository, requireOwned } from "./repository.js";
import { RootProblem } from "./source-problems.js";

/** The branch or commit that is checked out. */
export interface BranchHead {
  /**
   * Full name of the checked-out branch, for example `refs/heads/main`. Null if a commit is checked out
   * directly.
   */
  readonly branch: string | null;
  /** Id of the checked-out commit. Null before the first commit. */
  readonly commit: string | null;
}

const lineBytesMax = 4_096;
const packedBytesMax = 64 * 1024 * 1024;

/**
 * Reads the current commit in the same way as Git: from the branch's own file, or from `packed-refs` if the
 * branch has no such file.
 *
 * @throws RootProblem if one of these files is outside the repository or has unexpected content
 */
export async function readHead({ git, user }: Pick<Repository, "git" | "user">): Promise<BranchHead> {
  const line = await readLine(git, "HEAD", user);
  const branch = /^ref: (refs\/heads\/.+)$/.exec(line ?? "")?.[1];
  if (branch !== undefined) return { branch, commit: await readBranch({ git, user }, branch) };
  if (line !== null && isCommit(line)) return { branch: null, commit: line };
  throw new RootProblem(`${git.path}/HEAD points to neither a branch nor a commit.`);
}

async function readBranch(
  { git, user }: Pick<Repository, "git" | "user">,
  branch: string,
): Promise<string | null> {
  const { folders, name } = splitBranch(branch);
  const folder = await openFolderBeneath(git, folders).catch(nullIfMissing);
  try {
    const line = folder ? await readLine(folder, name, user) : null;
    if (line === null) return await findPacked({ git, user }, branch);
    if (isCommit(line)) return line;
    throw new RootProblem(`${git.path}/${branch} does not point to a commit.`);
  } finally {
    await folder?.close();
  }
}

async function findPacked(
  { git, user }: Pick<Repository, "git" | "user">,
  branch: string,
): Promise<string | null> {
  const text = await readText(git, "packed-refs", { bytesMax: packedBytesMax, user });
  const line = text?.split("\n").find((each) => each.endsWith(` ${branch}`));
  const commit = line?.slice(0, -branch.length - 1) ?? "";
  return isCommit(commit) ? commit : null;
}

/**
 * Moves the checked-out branch from one commit to the next, under Git's own lock. Writes no reflog, because
 * the reflog file could be a link to a file outside the repository.
 *
 * @returns false if the branch has changed, or another process is moving it
 */
export async function moveBranch(
  repository: Repository,
  branch: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<boolean> {
  const { folders, name } = splitBranch(branch);
  const folder = await createFolders(repository, folders);
  try {
    const lock = await takeLock(folder, `${name}.lock`, repository);
    if (!lock) return false;
    let hasMoved = false;
    try {
      const head = await readHead(repository);
      if (head.branch !== branch || head.commit !== from) return false;
      await lock.writeFile(`${to}\n`);
      await lock.sync();
      await rename(folder.toPath(`${name}.lock`), folder.toPath(name));
      hasMoved = true;
    } finally {
      await lock.close();
      if (!hasMoved) await rm(folder.toPath(`${name}.lock`), { force: true });
    }
    return hasMoved;
  } finally {
    await folder.close();
  }
}

/** Waits briefly and returns null if another process has the lock. */
async function takeLock(
  folder: OpenFolder,
  name: string,
  { user }: Pick<Repository, "user">,
): Promise<FileHandle | null> {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  try {
    const lock = await folder.open(name, O_WRONLY | O_CREAT | O_EXCL, 0o666);
    if (user) await lock.chown(user.uid, user.gid);
    return lock;
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
    await delay(lockedMs);
    return null;
  }
}

const lockedMs = 100;

/**
 * Creates the folders that contain the branch's file. They may be missing if the branch is in
 * `packed-refs`.
 */
async function createFolders({ git, user }: Repository, names: readonly string[]): Promise<OpenFolder> {
  let folder = await git.openFolder(".");
  for (const name of names) {
    const parent = folder;
    try {
      const isNew = await mkdir(parent.toPath(name)).then(
        () => true,
        () => false,
      );
      folder = await parent.openFolder(name);
      if (isNew && user) await folder.chown(user.uid, user.gid);
      else requireOwned(folder, user);
    } finally {
      await parent.close();
    }
  }
  return folder;
}

async function readLine(folder: OpenFolder, name: string, user: Repository["user"]): Promise<string | null> {
  const text = await readText(folder, name, { bytesMax: lineBytesMax, user });
  return text === null ? null : text.trimEnd();
}

async function readText(
  ...[folder, name, options]: Parameters<typeof readRegularFile>
): Promise<string | null> {
  try {
    return (await readRegularFile(folder, name, options)).bytes.toString("utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw toProblem(error);
  }
}

function splitBranch(branch: string): { readonly folders: readonly string[]; readonly name: string } {
  const names = branch.split("/");
  // Git also refuses such branch names, which could lead to other files.
  if (names.some((each) => each === "" || each.startsWith(".") || each.endsWith(".lock"))) {
    throw new RootProblem(`${JSON.stringify(branch)} is not a valid branch name.`);
  }
  return { folders: names.slice(0, -1), name: names.at(-1) ?? "" };
}

function isCommit(line: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(line);
}

function nullIfMissing(error: unknown): null {
  if (hasCode(error, "ENOENT")) return null;
  throw toProblem(error);
}

function toProblem(error: unknown): unknown {
  return error instanceof NotPlainError ? new RootProblem(error.message, { cause: error }) : error;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
