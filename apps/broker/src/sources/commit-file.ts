import { randomUUID } from "node:crypto";
import { chmod, chown, lstat, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { blobHash, formatOf } from "./blob-hash.js";
import { type Repository, requirePlain } from "./check-repository.js";
import { findCommitted } from "./committed.js";
import { askGit, GitError, type GitRun, runGit } from "./git.js";
import { clearLeftovers, type IndexChange, lockIndex } from "./lock-index.js";
import { openSource } from "./open-source.js";
import { NotCurrent } from "./source-problems.js";

/** A new text of a file, and what its commit says. */
export interface FileCommit {
  readonly path: string;
  /** What the text was made from; the file and the last commit must both still have it. */
  readonly baseHash: string;
  readonly content: string;
  readonly subject: string;
  /** Lines such as `Approved-by: Ana`, which Git's tools find again. All of them together belong to this commit and no other. */
  readonly trailers: Readonly<Record<string, string>>;
  readonly author: { readonly name: string; readonly email: string };
}

/** How often somebody else may commit something meanwhile that does not concern the file. */
const triesMax = 5;

/**
 * Commits a file's new text to the branch that is checked out and puts it into the work tree, without hooks (SOURCE-8): the
 * commit is made beside everything, and then the branch moves from the commit that was read to this one, or stays. Repeated
 * after it was cut short it finds its own commit and does what was left.
 *
 * @returns the commit, and whether the file has the text: whoever changed it in that very moment keeps what they wrote
 * @throws NotCurrent, and then nothing was done
 */
export async function commitFile(
  repository: Repository,
  commit: FileCommit,
): Promise<{ readonly commit: string; readonly written: boolean }> {
  await requireBranch(repository);
  for (let tries = 0; tries < triesMax; tries += 1) {
    const done = await tryCommit(repository, commit);
    if (done) return done;
  }
  throw new NotCurrent("Others commit to the repository all the time. Try again.");
}

async function tryCommit(
  repository: Repository,
  commit: FileCommit,
): Promise<{ readonly commit: string; readonly written: boolean } | null> {
  const { path, baseHash, content } = commit;
  await clearLeftovers(repository);
  const head = await askGit(["rev-parse", "--verify", "HEAD^{commit}"], repository);
  const committed = await findCommitted(repository, path);
  if (!committed) throw new NotCurrent("The file is not in the last commit any more.");
  const newHash = blobHash(Buffer.from(content), formatOf(committed.hash));
  const change: IndexChange = {
    path,
    mode: committed.executable ? "100755" : "100644",
    from: baseHash,
    to: newHash,
  };
  const earlier = committed.hash === newHash ? await findOwnCommit(repository, commit) : null;
  if (earlier !== null) return { commit: earlier, written: await finish(repository, commit, change) };

  await requireBase(repository, commit, committed.hash);
  const index = await lockIndex(repository, change);
  try {
    const made = await makeCommit(repository, commit, { head, mode: change.mode });
    if (!(await moveBranch(repository, head, made, commit))) return null;
    await index.commit();
    return { commit: made, written: await replaceFile(repository, commit) };
  } finally {
    await index.release();
  }
}

/** What was left to do when the commit itself had been made. Whoever staged something else since then has the say. */
async function finish(repository: Repository, commit: FileCommit, change: IndexChange): Promise<boolean> {
  try {
    const index = await lockIndex(repository, change);
    await index.commit().finally(index.release);
  } catch (error) {
    if (!(error instanceof NotCurrent)) throw error;
  }
  return replaceFile(repository, commit);
}

async function requireBase(
  repository: Repository,
  { path, baseHash }: FileCommit,
  committedHash: string,
): Promise<void> {
  const { hash } = await openSource(repository, path);
  if (hash !== baseHash) throw new NotCurrent("The file was changed meanwhile.");
  if (committedHash === baseHash) return;
  throw new NotCurrent(
    "The file has changes that are not committed, and they would be committed with it. Commit them first, or take them back.",
  );
}

/** The commit that this very call made before it was cut short: the last one of the file, with the same trailers. */
async function findOwnCommit(repository: Repository, { path, trailers }: FileCommit): Promise<string | null> {
  const last = await askGit(["rev-list", "-1", "HEAD", "--", path], repository);
  if (!/^[0-9a-f]{40,64}$/.test(last)) return null;
  const text = await askGit(["cat-file", "commit", last], repository);
  const lines = text.split("\n");
  return toLines(trailers).every((each) => lines.includes(each)) ? last : null;
}

async function makeCommit(
  repository: Repository,
  { path, content, subject, trailers, author }: FileCommit,
  { head, mode }: { readonly head: string; readonly mode: string },
): Promise<string> {
  const indexFile = join(repository.gitFolder, `merkle-${randomUUID()}`);
  const run: GitRun = { ...repository, indexFile };
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
    await rm(indexFile, { force: true });
    await rm(`${indexFile}.lock`, { force: true });
  }
}

/** False when the branch is not any more where it was read: somebody has committed. */
async function moveBranch(
  repository: Repository,
  from: string,
  to: string,
  { author, subject }: FileCommit,
): Promise<boolean> {
  const run = { ...repository, author };
  const { code, said } = await runGit(["update-ref", "-m", `merkle: ${subject}`, "HEAD", to, from], run);
  if (code === 0) return true;
  if ((await askGit(["rev-parse", "--verify", "HEAD^{commit}"], repository)) !== from) return false;
  throw new GitError(`git update-ref failed: ${said.trim()}`);
}

/** By one rename, and only where the file still has what it was read with. */
async function replaceFile(
  repository: Repository,
  { path, baseHash, content }: FileCommit,
): Promise<boolean> {
  const file = join(repository.folder, path);
  const beside = join(dirname(file), `.merkle-${randomUUID()}`);
  try {
    if ((await openSource(repository, path)).text === content) return true;
    const { mode, uid, gid } = await lstat(file);
    await writeFile(beside, content, { flag: "wx" });
    await chmod(beside, mode & 0o777);
    // A broker that runs as root leaves the file to whose it is.
    if (process.getuid?.() === 0) await chown(beside, uid, gid);
    if ((await openSource(repository, path)).hash !== baseHash) return false;
    await rename(beside, file);
    return true;
  } catch {
    // The commit stands, and what lies there is somebody's who is at it: Git shows the difference.
    return false;
  } finally {
    await rm(beside, { force: true });
  }
}

/** Between two commits a merge or rebase keeps notes about them, and a commit of ours in between would be none of its own. */
const underWay = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

async function requireBranch(repository: Repository): Promise<void> {
  const { code, output } = await runGit(["symbolic-ref", "-q", "HEAD"], repository);
  const branch = output.toString("utf8").trim();
  if (code !== 0 || !branch.startsWith("refs/heads/")) {
    throw new NotCurrent(
      "No branch is checked out in the repository, so that nothing can be committed to one.",
    );
  }
  const names = branch.split("/");
  for (const [index] of names.entries()) {
    const part = names.slice(0, index + 1).join("/");
    await requirePlain(repository.gitFolder, part);
    await requirePlain(repository.gitFolder, `logs/${part}`);
  }
  for (const each of underWay) {
    if (!(await lstat(join(repository.gitFolder, each)).catch(() => undefined))) continue;
    throw new NotCurrent("A merge, rebase or the like is under way in the repository. Finish it first.");
  }
}

function toLines(trailers: Readonly<Record<string, string>>): string[] {
  return Object.entries(trailers).map(([name, value]) => `${name}: ${value}`);
}
