import { chmod, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hashBlob } from "../../apps/broker/src/features/sources/blob-hash.js";
import { commitFile, type FileCommit } from "../../apps/broker/src/features/sources/commit-file.js";
import { openSource } from "../../apps/broker/src/features/sources/open-source.js";
import { withRepository } from "../../apps/broker/src/features/sources/repository.js";
import { NotCurrent } from "../../apps/broker/src/features/sources/source-problems.js";
import { guide, type StagedRepository, stageRepository } from "./staged-repository.js";

const path = "docs/guide.md";
const changed = guide.replace("an hour", "a day");

function toCommit(more: Partial<FileCommit> = {}): FileCommit {
  return {
    path,
    baseHash: hashBlob(Buffer.from(guide), "sha1"),
    content: changed,
    subject: "Incorporate topic 7: how long?",
    trailers: { "Approved-by": "Ana", "Merkle-Topic": "7", "Merkle-Proposal": "9" },
    author: { name: "Agent", email: "agent@example.com" },
    ...more,
  };
}

const commit = async (at: StagedRepository, more: Partial<FileCommit> = {}) =>
  withRepository(at.folder, at, (repository) => commitFile(repository, toCommit(more)));

/** Returns the state that a refused commit must not change. */
const stateOf = async ({ git, read }: StagedRepository) =>
  Promise.all([git("rev-parse", "HEAD"), git("status", "--porcelain"), git("diff", "--cached"), read(path)]);

it("[SOURCE-8] the commit has the agent for its author and names who approved it; the work tree and index are as after any commit", async () => {
  const at = await stageRepository();
  await chmod(join(at.folder, path), 0o755);
  await at.git("commit", "-q", "-a", "-m", "A program");
  await at.write("README.md", "half done");
  await at.write("new.md", "staged");
  await at.git("add", "new.md");
  const before = await at.git("rev-parse", "HEAD");

  const done = await commit(at);
  expect(done).toEqual({ commit: await at.git("rev-parse", "HEAD"), isWritten: true });
  expect(await at.git("log", "-1", "--format=%an <%ae> %cn %P %s")).toBe(
    `Agent <agent@example.com> Agent ${before} Incorporate topic 7: how long?`,
  );
  expect(await at.git("log", "-1", "--format=%(trailers:only)")).toBe(
    "Approved-by: Ana\nMerkle-Topic: 7\nMerkle-Proposal: 9",
  );
  expect(await at.git("show", "--stat", "--format=", "HEAD")).toContain("1 file changed");
  expect(await at.git("show", `HEAD:${path}`)).toBe(changed.trim());
  expect(await at.read(path)).toBe(changed);
  expect((await stat(join(at.folder, path))).mode & 0o777).toBe(0o755);
  expect(await at.git("status", "--porcelain")).toBe("M README.md\nA  new.md");
  expect(await at.git("fsck", "--strict")).toBe("");
  expect(await at.git("ls-files", "--others", "--exclude-standard")).toBe("");
});

const meanwhile: readonly (readonly [string, (at: StagedRepository) => Promise<unknown>, RegExp])[] = [
  [
    "somebody committed another text",
    async (at) => {
      await at.write(path, "theirs\n");
      await at.git("commit", "-qam", "x");
    },
    /changed in the meantime/,
  ],
  ["somebody is at the file", (at) => at.write(path, "half done"), /changed in the meantime/],
  [
    "what was read is not committed",
    async (at) => {
      await at.write(path, "x\n");
      await at.git("commit", "-qam", "x");
      await at.write(path, guide);
    },
    /uncommitted changes/,
  ],
  [
    "another text is staged",
    async (at) => {
      await at.write(path, "x\n");
      await at.git("add", path);
      await at.write(path, guide);
    },
    /staged/,
  ],
  [
    "it was removed",
    async (at) => {
      await at.git("rm", "-q", path);
      await at.git("commit", "-qm", "x");
    },
    /no longer in the last commit/,
  ],
  ["a merge is under way", (at) => writeFile(join(at.folder, ".git/MERGE_HEAD"), "x"), /in progress/],
  ["no branch is checked out", (at) => at.git("checkout", "-q", "--detach"), /No branch/],
];

it.each(meanwhile)("[SOURCE-9] nothing is done where %s", async (_what, change, reason) => {
  const at = await stageRepository();
  await change(at);
  const before = await stateOf(at).catch(() => "gone");
  const refusal = await commit(at).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(NotCurrent);
  expect(String(refusal)).toMatch(reason);
  expect(await stateOf(at).catch(() => "gone")).toEqual(before);
});

it("[SOURCE-9] of two who commit the same file at once one does, and what others commit beside it is kept", async () => {
  const at = await stageRepository();
  const outcomes = await Promise.allSettled([
    commit(at),
    commit(at, { content: `${guide}Other.\n`, trailers: { "Merkle-Proposal": "10" } }),
  ]);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(outcomes.find((each) => each.status === "rejected")?.reason).toBeInstanceOf(NotCurrent);
  expect(await at.git("rev-list", "--count", "HEAD")).toBe("2");
  expect(await at.git("status", "--porcelain")).toBe("");
});

it("[SOURCE-9] what lies in Git's own lock is waited for, and not removed", async () => {
  const at = await stageRepository();
  const lock = join(at.folder, ".git/index.lock");
  await writeFile(lock, "");
  const waiting = commit(at);
  // The other git process ends and removes its lock file.
  await expect.poll(async () => (await at.git("rev-list", "--count", "HEAD")) === "1").toBe(true);
  await rm(lock);
  expect(await waiting).toMatchObject({ isWritten: true });
});

it("[SOURCE-10] a commit that was cut short is found again, and what was left is done", async () => {
  const at = await stageRepository();
  const done = await commit(at);
  // Simulates the state after a broker was killed right after it moved the branch.
  await at.git("update-index", "--cacheinfo", `100644,${toCommit().baseHash},${path}`);
  await at.write(path, guide);
  expect(await commit(at)).toEqual(done);
  expect(await at.git("status", "--porcelain")).toBe("");
  expect(await at.read(path)).toBe(changed);
  // Another proposal with the same text would be a different commit, but would change nothing in the file.
  const other = await commit(at, { trailers: { "Merkle-Proposal": "10" } }).catch((error: unknown) => error);
  expect(other).toBeInstanceOf(NotCurrent);
});

it("[SOURCE-3] a file has the name that Git gives its text, in a repository of either kind", async () => {
  const at = await stageRepository();
  const text = "\ufeffwith a mark, \r\n and ends \u{1f642}";
  await at.write(path, text);
  const opened = await withRepository(at.folder, at, (repository) => openSource(repository, path));
  expect(opened).toEqual({
    text,
    hash: await at.git("hash-object", "--no-filters", path),
    committedHash: toCommit().baseHash,
    isExecutable: false,
  });
});
