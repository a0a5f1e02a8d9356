import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { readEnvironment } from "../settings/config.js";

/** Timeout for git, which normally answers immediately unless the disk has problems. */
const timeoutMs = 3_000;
const outputBytesMax = 16 * 1024 * 1024;

/** Runs a git command that only reads. Returns its trimmed output; null if it fails or prints nothing. */
export type ReadGit = (...args: readonly string[]) => Promise<string | null>;

/**
 * Returns a function that reads from the repository of a folder. It takes no locks, so no other git command fails because of
 * it, and asks no other machine, even in a clone without all objects.
 */
export function createGitReader(folder: string): ReadGit {
  const options = {
    timeout: timeoutMs,
    maxBuffer: outputBytesMax,
    env: { ...readEnvironment().variables, GIT_OPTIONAL_LOCKS: "0", GIT_NO_LAZY_FETCH: "1" },
  };
  return async (...args) => {
    const command = ["-C", folder, "-c", "core.fsmonitor=false", ...args];
    const { stdout } = await promisify(execFile)("git", command, options).catch(() => ({ stdout: "" }));
    return stdout.trim() || null;
  };
}
