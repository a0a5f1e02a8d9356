import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { limits } from "@merkle/wire/limits";
import type { Io } from "../command/io.js";
import { usageError } from "../core/cli-error.js";

/** Git answers at once, or something is wrong with the disk. */
const gitMsMax = 3_000;

/**
 * The project of a folder: the name of its git repository, which is that of its origin, so that every clone and worktree
 * of it means the same, or else of its main folder. Null outside of one, and where there is no git.
 */
export async function findProject(folder: string): Promise<string | null> {
  const origin = await git(folder, ["config", "--get", "remote.origin.url"]);
  const name = origin && lastPart(origin);
  if (name) return name;
  // A worktree belongs to the project of the main folder, too.
  const common = await git(folder, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  if (!common) return null;
  return (basename(common) === ".git" ? basename(dirname(common)) : lastPart(common)) || null;
}

/** The top of the worktree that a folder is in, or the folder itself outside of a repository; links are followed. */
export async function findWorktree(folder: string): Promise<string> {
  return (await git(folder, ["rev-parse", "--show-toplevel"])) ?? (await realpath(folder));
}

/** `git@host:owner/mobile-app.git` as `mobile-app`. */
function lastPart(address: string): string {
  const last =
    address
      .replace(/[/\\]+$/, "")
      .split(/[/\\:]/)
      .at(-1) ?? "";
  return last
    .replace(/\.git$/, "")
    .trim()
    .slice(0, limits.projectIdCharsMax);
}

async function git(folder: string, args: readonly string[]): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["-C", folder, ...args], { timeout: gitMsMax });
    return stdout.trim() || null;
  } catch {
    return null;
  }
}

/** The project that a command is about: the one named, or that of the folder. @throws CliError `usage` where neither is */
export async function chooseProject(
  named: string | undefined,
  usage: string,
  { cwd }: Pick<Io, "cwd">,
): Promise<string> {
  const project = named?.trim() || (await findProject(cwd));
  if (project) return project;
  throw usageError(
    "This folder is not in a Git repository: name the project with --project.",
    `${usage} --project <name>`,
  );
}
