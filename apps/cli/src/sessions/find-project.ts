import { execFile } from "node:child_process";
import { realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { promisify } from "node:util";
import { limits } from "@merkle/wire/limits";
import type { Io } from "../command/io.js";
import { usageError } from "../core/cli-error.js";

/** Timeout for git, which normally answers immediately unless the disk has a problem. */
const gitMsMax = 3_000;

/**
 * Returns the project of a folder: the name of its Git repository. The name comes from the origin's address,
 * so that all clones and worktrees agree, or else from the main folder. Null outside a repository or without
 * git.
 */
export async function findProject(folder: string): Promise<string | null> {
  const origin = await git(folder, ["config", "--get", "remote.origin.url"]);
  const name = origin && lastPart(origin);
  if (name) return name;
  // A worktree belongs to the project of its main folder.
  const common = await git(folder, ["rev-parse", "--path-format=absolute", "--git-common-dir"]);
  if (!common) return null;
  return (basename(common) === ".git" ? basename(dirname(common)) : lastPart(common)) || null;
}

/**
 * Returns the root of the folder's worktree. Outside a repository, returns the folder itself with links
 * resolved.
 */
export async function findWorktree(folder: string): Promise<string> {
  return (await git(folder, ["rev-parse", "--show-toplevel"])) ?? (await realpath(folder));
}

/** Returns the last part of an address: `git@host:owner/mobile-app.git` gives `mobile-app`. */
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

/** Returns the named project, or else the folder's project. @throws CliError `usage` if there is neither */
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
