import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import type { Cleanup } from "../kit/test-database.js";

/** A user's repository, with private files next to it. */
export interface StagedRepository {
  /** The folder that contains the repository and the private files. */
  readonly top: string;
  readonly folder: string;
  /** A folder that is used as the Merkle home. */
  readonly home: string;
  /** A file outside the repository. Its text must never appear in any output. */
  readonly secretFile: string;
  /** A program that leaves a trace when it is run. */
  readonly trap: string;
  git(...args: readonly string[]): Promise<string>;
  write(path: string, text: string | Uint8Array): Promise<void>;
  read(path: string): Promise<string>;
  /** Returns the trace that the program left, or undefined if it did not run. */
  readTrace(): Promise<string | undefined>;
}

export const secret = "outside-7c1f0a";

/** Creates a repository with one commit, which contains `docs/guide.md` and `README.md`. */
export async function stageRepository(
  cleanup: Cleanup = onTestFinished,
  format: "sha1" | "sha256" = "sha1",
): Promise<StagedRepository> {
  const top = await realpath(await mkdtemp(join(tmpdir(), "merkle-root-")));
  cleanup(() => rm(top, { recursive: true, force: true }));
  const folder = join(top, "repository");
  const trace = join(top, "trace");
  const trap = join(top, "trap");
  const secretFile = join(top, "secret.md");
  const home = join(top, "home");
  await mkdir(folder);
  await mkdir(home);
  await writeFile(secretFile, `${secret}\n`);
  await writeFile(trap, `#!/bin/sh\necho "$0 $*" >> ${trace}\ncat ${secretFile}\n`);
  await chmod(trap, 0o755);

  const env = {
    PATH: process.env["PATH"],
    HOME: top,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "Owner",
    GIT_AUTHOR_EMAIL: "owner@example.com",
    GIT_COMMITTER_NAME: "Owner",
    GIT_COMMITTER_EMAIL: "owner@example.com",
  };
  async function git(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)("git", [...args], { cwd: folder, env });
    return stdout.trim();
  }
  async function write(path: string, text: string | Uint8Array): Promise<void> {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }

  await git("init", "-q", "-b", "main", `--object-format=${format}`);
  await write("docs/guide.md", guide);
  await write("README.md", "# Read me\n");
  await git("add", "-A");
  await git("commit", "-q", "-m", "Begin");
  return {
    top,
    folder,
    home,
    secretFile,
    trap,
    git,
    write,
    read: (path) => readFile(join(folder, path), "utf8"),
    readTrace: async () => ((await stat(trace).catch(() => undefined)) ? readFile(trace, "utf8") : undefined),
  };
}

export const guide = "# Guide\n\nTokens live for an hour.\n\nThey rotate.\n";
