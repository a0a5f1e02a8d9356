import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, link, lstat, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitFile } from "../../apps/broker/src/features/sources/commit-file.js";
import { openSource } from "../../apps/broker/src/features/sources/open-source.js";
import { type Repository, withRepository } from "../../apps/broker/src/features/sources/repository.js";
import { NoSource, RootProblem } from "../../apps/broker/src/features/sources/source-problems.js";
import { guide, type StagedRepository, secret, stageRepository } from "./staged-repository.js";

const path = "docs/guide.md";
const [ana, stranger] = [1234, 1236];

const inRoot = <Result>({ folder, home }: StagedRepository, work: (at: Repository) => Promise<Result>) =>
  withRepository(folder, { home }, work);

const accept = (at: StagedRepository, content: string) =>
  inRoot(at, async (repository) =>
    commitFile(repository, {
      path,
      baseHash: (await openSource(repository, path)).hash,
      content,
      subject: "Rewrite",
      trailers: { "Approved-by": "Ana" },
      author: { name: "Agent", email: "agent@example.com" },
    }),
  );

/** Swaps two files repeatedly until stopped. */
async function exchange(one: string, other: string): Promise<{ stop(): Promise<void> }> {
  const program = `
    const { renameSync } = require("node:fs");
    const [one, other] = process.argv.slice(1);
    process.stdout.write("begun");
    for (;;) {
      renameSync(one, one + ".aside"); renameSync(other, one);
      renameSync(one, other); renameSync(one + ".aside", one);
    }`;
  const child = spawn(process.execPath, ["-e", program, one, other], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return {
    async stop() {
      child.kill("SIGKILL");
      await once(child, "close");
    },
  };
}

it("[SOURCE-3] a folder that is exchanged for a link all the time is never followed", {
  tags: "long",
}, async () => {
  const at = await stageRepository();
  await mkdir(join(at.top, "outside"));
  await writeFile(join(at.top, "outside/guide.md"), secret);
  await symlink(join(at.top, "outside"), join(at.top, "link"));
  const exchanging = await exchange(join(at.folder, "docs"), join(at.top, "link"));
  try {
    const seen = new Set<string>();
    for (let tries = 0; tries < 150; tries += 1) {
      const read = inRoot(at, (repository) => openSource(repository, path));
      seen.add(
        await read.then(
          ({ text }) => text,
          (error: unknown) => (error instanceof NoSource ? "refused" : String(error)),
        ),
      );
    }
    expect([...seen].filter((each) => each !== guide && each !== "refused")).toEqual([]);
  } finally {
    await exchanging.stop();
  }
});

it("[SOURCE-8] what lies under the name of a log is never written to", { tags: "long" }, async () => {
  const at = await stageRepository();
  const log = join(at.folder, ".git/logs/HEAD");
  await symlink(at.secretFile, `${log}.link`);
  const exchanging = await exchange(log, `${log}.link`);
  try {
    for (let tries = 0; tries < 10; tries += 1) await accept(at, `${guide}${tries}\n`);
  } finally {
    await exchanging.stop();
  }
  expect(execFileSync("cat", [at.secretFile], { encoding: "utf8" })).toBe(`${secret}\n`);
  expect(await at.git("rev-list", "--count", "HEAD")).toBe("11");
});

it("[SOURCE-8] a branch is moved that lies in a folder, is packed, or has another one's lock beside it", {
  tags: "long",
}, async () => {
  const at = await stageRepository();
  await at.git("checkout", "-q", "-b", "work/on/guide");
  await at.git("pack-refs", "--all", "--prune");
  await accept(at, `${guide}Packed.\n`);
  expect(await at.git("log", "-1", "--format=%an", "work/on/guide")).toBe("Agent");
  await accept(at, `${guide}Loose.\n`);
  const lock = join(at.folder, ".git/refs/heads/work/on/guide.lock");
  await writeFile(lock, "");
  await expect(accept(at, `${guide}Locked.\n`)).rejects.toThrow(/Try again/);
  await rm(lock);
  expect(await at.git("rev-list", "--count", "HEAD")).toBe("3");
  expect(await at.git("status", "--porcelain")).toBe("");
});

const shared: readonly (readonly [string, string, (at: StagedRepository) => Promise<unknown>])[] = [
  ["everybody may write to it", "repository", ({ folder }) => chmod(folder, 0o777)],
  ["everybody may write to the folder above it", "", ({ top }) => chmod(top, 0o777)],
  [
    "the link that leads to it lies where everybody may write",
    "repository/docs",
    async (at) => {
      await chmod(join(at.folder, "docs"), 0o777);
      await symlink(at.folder, join(at.folder, "docs/root"));
      Object.assign(at, { folder: join(at.folder, "docs/root") });
    },
  ],
];

it.each(shared)("[SOURCE-4] a root is not touched where %s", async (_what, where, arrange) => {
  const at = await stageRepository();
  await arrange(at);
  const refusal = await accept(at, "theirs").catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RootProblem);
  const place = join(at.top, where);
  expect(String(refusal)).toContain(`${place} can be written by others`);
  expect(String(refusal)).toMatch(new RegExp(`Run: chmod go-w ${place}$`));
});

describe("a broker that is root", { tags: "root" }, () => {
  /** Creates a repository that belongs to Ana, in a folder that everyone can enter. */
  async function stageAnas(): Promise<StagedRepository> {
    const at = await stageRepository();
    await chmod(at.top, 0o711);
    execFileSync("chown", ["-R", `${ana}:${ana}`, at.folder]);
    return at;
  }

  it("[SOURCE-14] works on somebody's root as them: all that it leaves there is theirs", async () => {
    const at = await stageAnas();
    expect(await accept(at, `${guide}More.\n`)).toMatchObject({ isWritten: true });
    expect(execFileSync("find", [at.folder, "!", "-user", String(ana)], { encoding: "utf8" })).toBe("");
    const git = ["-c", `safe.directory=${at.folder}`, "-C", at.folder];
    expect(execFileSync("git", [...git, "status", "--porcelain"], { encoding: "utf8" })).toBe("");
    expect(execFileSync("git", [...git, "log", "-1", "--format=%an"], { encoding: "utf8" })).toBe("Agent\n");
  });

  it("[SOURCE-14] opens nothing for the root's owner that is not theirs, by whatever name it lies there", async () => {
    const at = await stageAnas();
    await rm(join(at.folder, path));
    await link(at.secretFile, join(at.folder, path));
    const refusal = await inRoot(at, (repository) => openSource(repository, path)).catch(String);
    expect(refusal).toMatch(/guide\.md belongs to a different user than the root/);
    await rm(join(at.folder, ".git/index"));
    await link(at.secretFile, join(at.folder, ".git/index"));
    await rm(join(at.folder, path));
    await writeFile(join(at.folder, path), guide);
    await chown(join(at.folder, path), ana, ana);
    await expect(accept(at, "theirs")).rejects.toThrow(/index belongs to a different user/);
    expect(await lstat(at.secretFile)).toMatchObject({ uid: 0 });
  });

  it("[SOURCE-4] touches no root that lies in a folder of somebody else's, and serves its own where nobody else may write", async () => {
    const at = await stageAnas();
    await chown(at.top, stranger, stranger);
    await expect(accept(at, "theirs")).rejects.toThrow(/belongs to another user \(1236\)/);
    const own = await stageRepository();
    // Write access for a group without other members is safe.
    await chmod(own.folder, 0o775);
    expect(await accept(own, `${guide}More.\n`)).toMatchObject({ isWritten: true });
    await chown(own.folder, 0, 54_321);
    await expect(accept(own, "theirs")).rejects.toThrow(/can be written by others \(mode 0775\)/);
  });
});
