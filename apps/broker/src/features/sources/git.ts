import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { devNull } from "node:os";
import { join } from "node:path";
import type { ObjectFormat } from "./blob-hash.js";
import type { Repository } from "./repository.js";

export interface GitRun extends Pick<Repository, "git" | "user" | "ownFolder" | "searchPath"> {
  /** Hash format of the repository's objects. */
  readonly format: ObjectFormat;
  readonly input?: string | Uint8Array | undefined;
  /** Path of an index file for Git to use. If not set, Git runs without an index. */
  readonly indexFile?: string | undefined;
  /**
   * Whether Git may read the repository's `shallow` file, which marks where the history of a shallow clone
   * ends.
   */
  readonly walksHistory?: boolean | undefined;
  /** Author and committer of the commit. */
  readonly author?: { readonly name: string; readonly email: string } | undefined;
  /** Output limit in bytes. Git is stopped if it writes more. */
  readonly outputBytesMax?: number | undefined;
}

export interface GitResult {
  readonly code: number;
  readonly output: Buffer;
  /**
   * Whether Git was stopped because of the output limit. If so, `output` contains the bytes written up to
   * that point.
   */
  readonly isTruncated: boolean;
  readonly errorOutput: string;
}

/** Thrown if Git is missing or does not finish in time. */
export class GitError extends Error {
  override readonly name = "GitError";
}

const outputBytesMaxDefault = 1024 * 1024;
const errorOutputBytesMax = 4_096;
const runMsMax = 10_000;

/** Overrides the defaults with which Git would start other programs or read other files on this machine. */
const overrides: readonly string[] = [
  `core.hooksPath=${devNull}`,
  `core.attributesFile=${devNull}`,
  `core.excludesFile=${devNull}`,
  "core.logAllRefUpdates=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "protocol.allow=never",
  "i18n.commitEncoding=UTF-8",
  "gc.auto=0",
  "maintenance.auto=false",
];

/**
 * Runs one of Git's plumbing commands without a shell, in a fixed environment and with a time limit
 * (SOURCE-5). Git sees only the repository's objects and the files passed to it. A separate folder replaces
 * `.git`, so the repository's configuration, hooks, attributes, remotes and logs are never read. Git runs
 * without a work tree.
 *
 * @throws GitError if Git is missing or takes too long
 */
export async function runGit(args: readonly string[], run: GitRun): Promise<GitResult> {
  const gitFolder = await makeGitFolder(run);
  const child = spawn(
    "git",
    ["--no-pager", "--literal-pathspecs", ...overrides.flatMap((each) => ["-c", each]), ...args],
    {
      cwd: gitFolder,
      env: toEnvironment(run, gitFolder),
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      ...(run.user && { uid: run.user.uid, gid: run.user.gid }),
    },
  );
  return new Promise((resolve, reject) => {
    const { outputBytesMax = outputBytesMaxDefault } = run;
    const pieces: Buffer[] = [];
    let bytes = 0;
    let errorOutput = "";
    const end = () => {
      try {
        // Kills the process group, in case Git has started other processes.
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The process has already exited.
      }
    };
    const timer = setTimeout(() => {
      end();
      reject(new GitError(`git ${args[0]} did not end within ${runMsMax / 1000} s.`));
    }, runMsMax);
    child.stdout.on("data", (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > outputBytesMax) end();
      else pieces.push(piece);
    });
    child.stderr.on("data", (piece: Buffer) => {
      errorOutput = (errorOutput + piece.toString("utf8")).slice(-errorOutputBytesMax);
    });
    child.once("error", (cause) => {
      clearTimeout(timer);
      reject(new GitError(`git cannot be run: ${cause.message}`, { cause }));
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({
        code: code ?? -1,
        output: Buffer.concat(pieces),
        isTruncated: bytes > outputBytesMax,
        errorOutput,
      });
    });
    // Git may exit without reading its input. The exit code shows whether Git succeeded.
    child.stdin.on("error", () => undefined);
    child.stdin.end(run.input ?? "");
  });
}

/** Runs Git and returns its output without the last line break. */
export async function askGit(args: readonly string[], run: GitRun): Promise<string> {
  const { code, output, errorOutput } = await runGit(args, run);
  if (code !== 0) throw new GitError(`git ${args[0]} failed: ${errorOutput.trim() || `exit code ${code}`}`);
  return output.toString("utf8").replace(/\n$/, "");
}

function toEnvironment(run: GitRun, gitFolder: string): Record<string, string> {
  const { git, searchPath, indexFile, walksHistory, author } = run;
  return {
    ...(searchPath !== undefined && { PATH: searchPath }),
    LC_ALL: "C",
    // Set explicitly so that Git does not search parent folders or use a shared `.git` folder.
    GIT_DIR: gitFolder,
    GIT_COMMON_DIR: gitFolder,
    GIT_OBJECT_DIRECTORY: join(git.path, "objects"),
    GIT_INDEX_FILE: indexFile ?? devNull,
    GIT_ALLOW_PROTOCOL: "none",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_GRAFT_FILE: devNull,
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    ...(walksHistory && { GIT_SHALLOW_FILE: join(git.path, "shallow") }),
    ...(author && {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
    }),
  };
}

/**
 * Creates the folder that replaces `.git`, readable by the user that runs Git, and returns its path. Git
 * never writes to it.
 */
async function makeGitFolder({ ownFolder, user, format }: GitRun): Promise<string> {
  const folder = join(ownFolder, `git-${format}`);
  // The modes are set explicitly, regardless of the umask, because another user must be able to read the
  // folder.
  const [folderMode, fileMode] = user ? [0o755, 0o644] : [0o700, 0o600];
  for (const each of [ownFolder, folder, join(folder, "objects"), join(folder, "refs")]) {
    const made = await mkdir(each, { recursive: true, mode: folderMode });
    if (made !== undefined) await chmod(each, folderMode);
  }
  await putFile(join(folder, "HEAD"), "ref: refs/heads/none\n", fileMode);
  const config = `[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = ${format}\n`;
  await putFile(join(folder, "config"), config, fileMode);
  return folder;
}

/**
 * Replaces a file atomically. Concurrent writers write the same content, but a reader must never see a partly
 * written file.
 */
async function putFile(path: string, text: string, mode: number): Promise<void> {
  if ((await readFile(path, "utf8").catch(() => undefined)) === text) return;
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await writeFile(unfinished, text, { flag: "wx" });
    await chmod(unfinished, mode);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
