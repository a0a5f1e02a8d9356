import { spawn } from "node:child_process";
import { devNull } from "node:os";

export interface GitRun {
  /** The folder `.git` of the repository, as it is really called. */
  readonly gitFolder: string;
  /** Stands for the work tree: Git is shown none, or it would read files of it through filters whenever it writes an index. */
  readonly emptyFolder: string;
  readonly input?: string | Uint8Array | undefined;
  /** Another index than the repository's. */
  readonly indexFile?: string | undefined;
  /** As whom it commits. */
  readonly author?: { readonly name: string; readonly email: string } | undefined;
  /** What is written beyond so much ends it. */
  readonly outputBytesMax?: number | undefined;
}

export interface GitResult {
  readonly code: number;
  readonly output: Buffer;
  /** It wrote more than it may, and was ended; what it wrote until then is in `output`. */
  readonly cut: boolean;
  readonly said: string;
}

/** Git is not there, or did not end in time. */
export class GitError extends Error {
  override readonly name = "GitError";
}

const outputBytesUsual = 1024 * 1024;
const saidBytesMax = 4_096;
const runMsMax = 10_000;

/**
 * Nothing that a repository brings along decides what is run, or what is read beside it: no hooks, watchers, filters, signing or
 * transports; and no configuration but the repository's own, of which these take the place of whatever could start a program.
 */
const overrides: readonly string[] = [
  `core.hooksPath=${devNull}`,
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  `core.attributesFile=${devNull}`,
  `core.excludesFile=${devNull}`,
  "core.sshCommand=false",
  "core.gitProxy=false",
  "core.alternateRefsCommand=false",
  "core.pager=cat",
  "core.editor=false",
  "core.askPass=false",
  "core.protectHFS=true",
  "core.protectNTFS=true",
  "credential.helper=",
  "protocol.allow=never",
  "commit.gpgSign=false",
  "gpg.program=false",
  "i18n.commitEncoding=UTF-8",
  "gc.auto=0",
  "maintenance.auto=false",
];

/**
 * Runs one of Git's own plumbing commands: without a shell, in an environment of its own, and for so long at most (SOURCE-5).
 *
 * @throws GitError where there is no git, or it takes too long
 */
export async function runGit(args: readonly string[], run: GitRun): Promise<GitResult> {
  const child = spawn(
    "git",
    ["--no-pager", "--literal-pathspecs", ...overrides.flatMap((each) => ["-c", each]), ...args],
    { cwd: run.emptyFolder, env: toEnvironment(run), detached: true, stdio: ["pipe", "pipe", "pipe"] },
  );
  return new Promise((resolve, reject) => {
    const { outputBytesMax = outputBytesUsual } = run;
    const pieces: Buffer[] = [];
    let bytes = 0;
    let said = "";
    const end = () => {
      try {
        // Its group, should it have started something after all.
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // It has ended.
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
      said = (said + piece.toString("utf8")).slice(-saidBytesMax);
    });
    child.once("error", (cause) => {
      clearTimeout(timer);
      reject(new GitError(`git cannot be run: ${cause.message}`, { cause }));
    });
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, output: Buffer.concat(pieces), cut: bytes > outputBytesMax, said });
    });
    // What it does not read is none of our errors: its exit code says how it went.
    child.stdin.on("error", () => undefined);
    child.stdin.end(run.input ?? "");
  });
}

/** Runs it and returns what it wrote, without the last line break. */
export async function askGit(args: readonly string[], run: GitRun): Promise<string> {
  const { code, output, said } = await runGit(args, run);
  if (code !== 0) throw new GitError(`git ${args[0]} failed: ${said.trim() || `exit code ${code}`}`);
  return output.toString("utf8").replace(/\n$/, "");
}

function toEnvironment({ gitFolder, emptyFolder, indexFile, author }: GitRun): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "",
    LC_ALL: "C",
    // Said outright, so that Git looks for nothing: no parent folder, no file .git, no work tree or common folder elsewhere.
    GIT_DIR: gitFolder,
    GIT_COMMON_DIR: gitFolder,
    GIT_OBJECT_DIRECTORY: `${gitFolder}/objects`,
    GIT_WORK_TREE: emptyFolder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_GRAFT_FILE: devNull,
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_TERMINAL_PROMPT: "0",
    ...(indexFile !== undefined && { GIT_INDEX_FILE: indexFile }),
    ...(author && {
      GIT_AUTHOR_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_NAME: author.name,
      GIT_COMMITTER_EMAIL: author.email,
    }),
  };
}
