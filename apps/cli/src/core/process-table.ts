import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { hasProc, isPosix } from "./platform.js";

/** A process on this machine, and where it is in the process tree. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /**
   * When the process started, in a system-specific unit. Together with the pid, it identifies the process
   * uniquely.
   */
  readonly began: string;
}

/** Lists all live processes. Excludes zombies. */
export async function listProcesses(): Promise<ProcessRow[]> {
  return hasProc() ? listFromProc() : listFromPs();
}

/** Returns the processes whose initial environment contains this text. Searches only `pids` if given. */
export async function findMarked(mark: string, pids?: readonly number[]): Promise<number[]> {
  if (!hasProc()) return [];
  const isMarked = async (pid: number) => {
    const environment = await readEnvironment(pid);
    return environment?.includes(mark) ? pid : undefined;
  };
  const matches = await Promise.all((pids ?? (await listPids())).map(isMarked));
  return matches.filter((pid) => pid !== undefined);
}

/**
 * Reads the initial environment of a process. Undefined for processes of other users. During exec the file is
 * briefly empty (Linux, fs/proc/base.c, environ_read), so an empty file is read again, except for kernel
 * threads, which have no program.
 */
async function readEnvironment(pid: number): Promise<Buffer | undefined> {
  for (let waitMs = 1; waitMs <= 512; waitMs *= 2) {
    const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
    if (environment === undefined || environment.length > 0) return environment;
    if (!(await readlink(`/proc/${pid}/exe`).catch(() => ""))) return undefined;
    await delay(waitMs);
  }
  return undefined;
}

/** Counts the processes in a process's PID namespace, which are listed in that process's own /proc. */
export async function countInNamespaceOf(pid: number): Promise<number> {
  const names = await readdir(`/proc/${pid}/root/proc`).catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).length;
}

/** Returns the id of the first child of a process, or undefined. */
export async function findChild(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const first = Number(children.trim().split(" ")[0]);
  return first > 0 ? first : undefined;
}

/**
 * Returns when a process started, in a system-specific format, or null if the process does not exist. The
 * start time distinguishes the process from a later one with the same pid. A zombie counts as ended. Windows
 * has no quick way to read the start time, so only pids are compared there.
 */
export async function readProcessStart(pid: number): Promise<string | null> {
  if (!exists(pid)) return null;
  if (!isPosix()) return "";
  if (!hasProc()) {
    const output = await promisify(execFile)("ps", ["-o", psColumns, "-p", String(pid)]).catch(() => null);
    const [row] = parsePsLine(output?.stdout.trimEnd() ?? "");
    return row?.began.trim().replace(/\s+/g, " ") ?? null;
  }
  const [boot, row] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readStat(pid),
  ]);
  return row === undefined ? null : `${boot.trim()} ${row.began}`;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Returns whether a process is still running. */
export async function isAlive(pid: number): Promise<boolean> {
  return (await readStat(pid)) !== undefined;
}

async function listPids(): Promise<number[]> {
  return (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
}

async function listFromProc(): Promise<ProcessRow[]> {
  const rows = await Promise.all((await listPids()).map(readStat));
  return rows.filter((row) => row !== undefined);
}

async function readStat(pid: number): Promise<ProcessRow | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The process name is in parentheses and can contain any character.
  const [state = "", parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "" || "ZXx".includes(state)) return undefined;
  const began = rest[15] ?? "";
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), began };
}

/**
 * Lists the processes with POSIX `ps`, which has no portable column for the session. The process group is
 * used as the session instead.
 */
async function listFromPs(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(execFile)("env", ["LC_ALL=C", "ps", "-A", "-o", psColumns], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout.split("\n").flatMap(parsePsLine);
}

const psColumns = "pid=,ppid=,pgid=,stat=,lstart=";

/**
 * Parses a line of `ps` output. Returns an empty list for a zombie or an invalid line. Exported for the test.
 */
export function parsePsLine(line: string): ProcessRow[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
  if (!match || match[4]?.startsWith("Z")) return [];
  const [pid, parent, group] = match.slice(1, 4).map(Number) as [number, number, number];
  return [{ pid, parent, group, session: group, began: match[5] ?? "" }];
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has already ended.
  }
}

export function signalGroup(pid: number, name: NodeJS.Signals): void {
  signal(-pid, name);
}

/**
 * Sends SIGTERM once to each of these processes.
 *
 * The process `forwarderPid` forwards signals to its child. Some programs treat a second signal as a request to
 * abort without cleaning up. Therefore `forwarderPid` is signalled only if it is the only process left.
 */
export function terminateAll(pids: readonly number[], forwarderPid?: number): void {
  const others = pids.filter((pid) => pid !== forwarderPid);
  for (const pid of others.length > 0 ? others : pids) signal(pid, "SIGTERM");
}
