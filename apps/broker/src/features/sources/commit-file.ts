import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { lstat, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { hashBlob, toObjectFormat } from "./blob-hash.js";
import { moveBranch, readHead } from "./branch.js";
import { type CommittedFile, findCommitted } from "./committed.js";
import { askGit, type GitRun, runGit } from "./git.js";
import { clearLeftovers, type IndexChange, lockIndex } from "./lock-index.js";
import { openSource, readSourceFile, withFolderOf } from "./open-source.js";
import type { Repository } from "./repository.js";
import { NotCurrent } from "./source-problems.js";

/** New text for a file, with the message and author of the commit. */
export interface FileCommit {
  readonly path: string;
  /**
   * Hash of the text that the change is based on. Both the file and the last commit must still have this
   * text.
   */
  readonly baseHash: string;
  readonly content: string;
  readonly subject: string;
  /**
   * Lines such as `Approved-by: Ana`, which Git's tools can parse. The trailers together identify this
   * commit.
   */
  readonly trailers: Readonly<Record<string, string>>;
  readonly author: { readonly name: string; readonly email: string };
}

/** Maximum number of attempts if commits to other files keep moving the branch. */
const triesMax = 5;

/**
 * Commits a file's new text to the checked-out branch and writes it to the work tree, without running hooks
 * (SOURCE-8). The commit object is created first. Then the branch moves from the commit that was read to the
 * new one, or not at all. If an interrupted call is repeated, it finds its commit and completes the remaining
 * steps.
 *
 * @returns the commit, and whether the file was written; if someone else changed the file at the same time,
 * their text is kept
 * @throws NotCurrent if nothing was done
 */
export async function commitFile(
  repository: Repository,
  commit: FileCommit,
): Promise<{ readonly commit: string; readonly isWritten: boolean }> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const done = await tryCommit(repository, commit);
    if (done) return done;
  }
  throw new NotCurrent("Other commits kept arriving in the repository. Try again.");
}

async function tryCommit(
  repository: Repository,
  commit: FileCommit,
): Promise<{ readonly commit: string; readonly isWritten: boolean } | null> {
  const { path, baseHash, content } = commit;
  await clearLeftovers(repository);
  const { branch, commit: head } = await readHead(repository);
  if (branch === null)
    throw new NotCurrent(
      "No branch is checked out in the repository, so there is nothing to commit to. Check out a branch first.",
    );
  await refuseUnderWay(repository);
  const committed = head === null ? null : await findCommitted(repository, head, path);
  if (head === null || !committed) throw new NotCurrent("The file is no longer in the last commit.");
  const newHash = hashBlob(Buffer.from(content), toObjectFormat(head));
  const change: IndexChange = {
    path,
    mode: committed.isExecutable ? "100755" : "100644",
    from: baseHash,
    to: newHash,
  };
  const earlier = committed.hash === newHash ? await findOwnCommit(repository, head, commit) : null;
  if (earlier !== null)
    return { commit: earlier, isWritten: await finish(repository, commit, { change, committed }) };

  await requireBase(repository, commit, committed.hash);
  const index = await lockIndex(repository, change);
  try {
    const newCommit = await makeCommit(repository, commit, { head, mode: change.mode });
    if (!(await moveBranch(repository, branch, { from: head, to: newCommit }))) return null;
    await index.commit();
    return { commit: newCommit, isWritten: await replaceFile(repository, commit, committed) };
  } finally {
    await index.release();
  }
}

/**
 * Completes the steps after the commit. If another change has been staged since then, the index stays
 * unchanged.
 */
async function finish(
  repository: Repository,
  commit: FileCommit,
  { change, committed }: { readonly change: IndexChange; readonly committed: CommittedFile },
): Promise<boolean> {
  try {
    const index = await lockIndex(repository, change);
    await index.commit().finally(index.release);
  } catch (error) {
    if (!(error instanceof NotCurrent)) throw error;
  }
  return replaceFile(repository, commit, committed);
}

async function requireBase(
  repository: Repository,
  { path, baseHash }: FileCommit,
  committedHash: string,
): Promise<void> {
  const { hash } = await openSource(repository, path);
  if (hash !== baseHash) throw new NotCurrent("The file was changed in the meantime.");
  if (committedHash === baseHash) return;
  throw new NotCurrent(
    "The file has uncommitted changes, which would be committed too. Commit or discard them first.",
  );
}

/**
 * Finds the commit that an interrupted attempt of the same call made: the last commit to the file, if its
 * trailers are the same.
 */
async function findOwnCommit(
  repository: Repository,
  head: string,
  { path, trailers }: FileCommit,
): Promise<string | null> {
  const run = { ...repository, format: toObjectFormat(head), walksHistory: true };
  const { code, output } = await runGit(["rev-list", "-1", head, "--", path], run);
  const last = output.toString("utf8").trim();
  if (code !== 0 || !/^[0-9a-f]{40,64}$/.test(last)) return null;
  const text = await askGit(["cat-file", "commit", last], run);
  const lines = text.split("\n");
  return toLines(trailers).every((each) => lines.includes(each)) ? last : null;
}

async function makeCommit(
  repository: Repository,
  { path, content, subject, trailers, author }: FileCommit,
  { head, mode }: { readonly head: string; readonly mode: string },
): Promise<string> {
  const name = `merkle-${randomUUID()}`;
  const { git } = repository;
  const run: GitRun = { ...repository, format: toObjectFormat(head), indexFile: join(git.path, name) };
  try {
    const blob = await askGit(["hash-object", "-w", "--no-filters", "--stdin"], { ...run, input: content });
    await askGit(["read-tree", head], run);
    await askGit(["update-index", "--cacheinfo", `${mode},${blob},${path}`], run);
    const tree = await askGit(["write-tree"], run);
    const message = [subject, "", ...toLines(trailers), ""].join("\n");
    return await askGit(["commit-tree", "--no-gpg-sign", "-p", head, tree], {
      ...run,
      author,
      input: message,
    });
  } finally {
    await rm(git.toPath(name), { force: true });
    await rm(git.toPath(`${name}.lock`), { force: true });
  }
}

/**
 * Replaces a file by renaming a new file over it, but only if the old file still has the expected content.
 * The new file gets the old file's mode and owner.
 */
async function replaceFile(
  repository: Repository,
  { path, baseHash, content }: FileCommit,
  committed: CommittedFile,
): Promise<boolean> {
  try {
    return await withFolderOf(repository, path, async (folder, name) => {
      const read = () => readSourceFile(folder, name, { repository, committed });
      const { text, stat } = await read();
      if (text === content) return true;
      const beside = `.merkle-${randomUUID()}`;
      const { O_WRONLY, O_CREAT, O_EXCL } = constants;
      const file = await folder.open(beside, O_WRONLY | O_CREAT | O_EXCL, 0o600);
      try {
        await file.writeFile(content);
        // A broker that runs as root keeps the file's owner.
        if (process.getuid?.() === 0) await file.chown(stat.uid, stat.gid);
        await file.chmod(stat.mode & 0o777);
        if ((await read()).hash !== baseHash) return false;
        await rename(folder.toPath(beside), folder.toPath(name));
        return true;
      } finally {
        await file.close();
        await rm(folder.toPath(beside), { force: true });
      }
    });
  } catch {
    // The commit is still valid. Someone else is changing the file, and Git will show the difference.
    return false;
  }
}

/**
 * Files in `.git` that exist during a merge, rebase or similar operation. Such an operation must not be
 * interrupted by an unrelated commit.
 */
const underWay = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

async function refuseUnderWay({ git }: Repository): Promise<void> {
  for (const each of underWay) {
    if (!(await lstat(git.toPath(each)).catch(() => undefined))) continue;
    throw new NotCurrent(
      "A merge, rebase or similar operation is in progress in the repository. Finish it first.",
    );
  }
}

function toLines(trailers: Readonly<Record<string, string>>): string[] {
  return Object.entries(trailers).map(([name, value]) => `${name}: ${value}`);
}
