import { readFileSync } from "node:fs";
import { readFile, realpath, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { hasProc, isPosix } from "../files/platform.js";
import { runProgram } from "./run-program.js";
import { socketName } from "./socket-folder.js";

/** The facts that a running server writes into its data directory, and keeps current. */
export interface PostmasterFile {
  pid: number;
  port: number;
  socketFolder: string;
  status: string;
}

/** Reads `postmaster.pid`; undefined when there is none, or it is just being written. */
export async function readPostmasterFile(data: string): Promise<PostmasterFile | undefined> {
  const text = await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3] ?? 0), socketFolder: lines[4] ?? "", status: lines[7] ?? "" };
}

/**
 * Whether the process is alive and a postmaster, of this data directory as far as it can be told. A number alone
 * does not say it: after a restart of the machine or container it may belong to anybody, and a process that nobody
 * collects (a container without an init) can still be signalled after its death.
 */
export async function isPostmaster(pid: number, data: string): Promise<boolean> {
  if (!isAlive(pid)) return false;
  if (hasProc()) {
    const args = commandLine(pid);
    if (args === undefined) return true;
    if (basename(args[0] ?? "") !== "postgres") return false;
    const ofData = args[args.indexOf("-D") + 1];
    if (!args.includes("-D") || ofData === undefined) return true;
    return (await realpath(ofData).catch(() => ofData)) === data;
  }
  // Windows' PostgreSQL looks after this itself: it asks for a pipe that only a server has.
  if (!isPosix()) return true;
  const shown = await runProgram("ps", ["-o", "comm=", "-p", String(pid)]);
  return basename(shown.output.trim()) === "postgres";
}

/** Whether a process that was a postmaster a moment ago still is: cheap enough to ask ten times a second. */
export function stillRuns(pid: number): boolean {
  if (!isAlive(pid)) return false;
  if (!hasProc()) return true;
  const args = commandLine(pid);
  return args === undefined || basename(args[0] ?? "") === "postgres";
}

/**
 * Removes lock files that a dead server left. PostgreSQL does so itself, but refuses to start when the number in them
 * belongs to another process of the same user by now. Only to be called when no postmaster of this data runs.
 */
export async function removeDeadLocks(data: string, socket: { folder: string; port: number } | undefined) {
  await rm(join(data, "postmaster.pid"), { force: true });
  if (socket) await rm(join(socket.folder, `${socketName(socket.port)}.lock`), { force: true });
}

/** Whether a process has this number. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The arguments of a process; empty for one that is dead and not collected; undefined without /proc. */
function commandLine(pid: number): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? [] : undefined;
  }
}
