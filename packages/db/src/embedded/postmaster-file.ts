import { readFileSync } from "node:fs";
import { readFile, realpath, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { hasProc, isPosix } from "../files/platform.js";
import { runProgram } from "./run-program.js";
import { toSocketName } from "./socket-folder.js";

/** The facts that a running server writes to `postmaster.pid` in its data directory and keeps up to date. */
export interface PostmasterFile {
  pid: number;
  port: number;
  socketFolder: string;
  status: string;
}

/** Reads `postmaster.pid`. Returns undefined if the file is missing or incomplete. */
export async function readPostmasterFile(data: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3] ?? 0), socketFolder: lines[4] ?? "", status: lines[7] ?? "" };
}

/**
 * Returns true if a process is alive, is a postmaster and, as far as can be determined, uses this data
 * directory. A pid alone proves nothing: after a restart of the machine or container, another process may
 * have the same pid. Sending a signal proves nothing either, because that also works on a zombie process (in
 * a container without an init).
 */
export async function isPostmaster(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (hasProc()) {
    const args = readCommandLine(pid);
    if (args === undefined) return true;
    if (basename(args[0] ?? "") !== "postgres") return false;
    const dataArgument = args[args.indexOf("-D") + 1];
    if (!args.includes("-D") || dataArgument === undefined) return true;
    return (await realpath(dataArgument).catch(() => dataArgument)) === data;
  }
  // PostgreSQL for Windows does this check itself, by means of a pipe that only a server has.
  if (!isPosix()) return true;
  const listing = await runProgram("ps", ["-o", "comm=", "-p", String(pid)]);
  return basename(listing.output.trim()) === "postgres";
}

/**
 * Returns true if a process that was recently a postmaster still is. Cheap enough to call ten times per
 * second.
 */
export function isServerRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (!hasProc()) return true;
  const args = readCommandLine(pid);
  return args === undefined || basename(args[0] ?? "") === "postgres";
}

/**
 * Removes the lock files that a dead server left. PostgreSQL usually removes them itself, but refuses to
 * start if another process of the same user now has the pid in those files. Call only when no postmaster uses
 * this data.
 */
export async function removeStaleLocks(data: string, socket: { folder: string; port: number } | undefined) {
  await rm(join(data, "postmaster.pid"), { force: true });
  if (socket) await rm(join(socket.folder, `${toSocketName(socket.port)}.lock`), { force: true });
}

/** Returns true if a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * Returns the arguments of a process. Empty if the process is a zombie or does not exist, undefined if the
 * system has no /proc.
 */
function readCommandLine(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? [] : undefined;
  }
}
