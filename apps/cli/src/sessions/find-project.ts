import { realpath } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { limits } from "@merkle/wire/limits";
import type { Io } from "../command/io.js";
import { usageError } from "../core/cli-error.js";
import { createGitReader } from "./git.js";

/**
 * Returns the project of a folder, i.e. the name of its Git repository. The name comes from the address of
 * `origin`, so that all clones and worktrees agree, or else from the main folder. Null outside a repository
 * or if git is not installed.
 */
export async function findProject(folder: string): Promise<string | null> {
  const git = createGitReader(folder);
  const origin = await git("config", "--get", "remote.origin.url");
  const name = origin && toLastPart(origin);
  if (name) return name;
  // A worktree belongs to the project of the repository's main folder.
  const common = await git("rev-parse", "--path-format=absolute", "--git-common-dir");
  if (!common) return null;
  return (basename(common) === ".git" ? basename(dirname(common)) : toLastPart(common)) || null;
}

/**
 * Returns the root of the folder's worktree. Outside a repository, returns the folder itself with symbolic
 * links resolved.
 */
export async function findWorktree(folder: string): Promise<string> {
  return (await createGitReader(folder)("rev-parse", "--show-toplevel")) ?? (await realpath(folder));
}

/** Returns the last part of an address: `mobile-app` for `git@host:owner/mobile-app.git`. */
function toLastPart(address: string): string {
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

/** Returns the named project, or else the folder's project. @throws CliError `usage` if neither exists */
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
