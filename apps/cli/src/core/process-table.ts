import { execFile } from "node:child_process";
import { readdir, readFile, readlink } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { hasProc, isPosix } from "./platform.js";

/** A process of this machine, as far as it matters whose child it is. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it began, in whatever unit: with the pid it names the process for ever. */
  readonly began: string;
}

/** Every process that is alive; what has ended and is only not collected yet is not among them. */
export async function listProcesses(): Promise<ProcessRow[]> {
  return hasProc() ? listFromProc() : listFromPs();
}

/** Returns those of these processes whose environment, as they were started with it, holds this text. */
export async function findMarked(mark: string, pids?: readonly number[]): Promise<number[]> {
  if (!hasProc()) return [];
  const isMarked = async (pid: number) => {
    const environment = await readEnvironment(pid);
    return environment?.includes(mark) ? pid : undefined;
  };
  const found = await Promise.all((pids ?? (await listPids())).map(isMarked));
  return found.filter((pid) => pid !== undefined);
}

/**
 * The environment that a process was started with, undefined for another user's, which is none of ours. A process that is just
 * becoming another program has none for a moment (Linux, fs/proc/base.c, environ_read) and is asked again; the kernel's own
 * threads, which have no program, are not.
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

/** How many processes there are in the PID namespace that is seen from within this process. */
export async function countInNamespaceOf(pid: number): Promise<number> {
  const names = await readdir(`/proc/${pid}/root/proc`).catch(() => []);
  return names.filter((name) => /^\d+$/.test(name)).length;
}

/** The first child of a process, or undefined. */
export async function findChild(pid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  const first = Number(children.trim().split(" ")[0]);
  return first > 0 ? first : undefined;
}

/**
 * When a process began, in the system's own words, or null when there is none: tells a process from a later one that
 * got its number. A process that has ended and was not collected by its parent counts as gone. Windows has no quick
 * way to ask; there the number alone decides.
 */
export async function processBegan(pid: number): Promise<string | null> {
  if (!isThere(pid)) return null;
  if (!isPosix()) return "";
  if (!hasProc()) {
    const shown = await promisify(execFile)("ps", ["-o", psColumns, "-p", String(pid)]).catch(() => null);
    const [row] = parsePsLine(shown?.stdout.trimEnd() ?? "");
    return row?.began.trim().replace(/\s+/g, " ") ?? null;
  }
  const [boot, row] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readStat(pid),
  ]);
  return row === undefined ? null : `${boot.trim()} ${row.began}`;
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Whether a process has not ended yet. */
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
  // The name is in parentheses, and may hold any character itself.
  const [state = "", parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "" || "ZXx".includes(state)) return undefined;
  const began = rest[15] ?? "";
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), began };
}

/** Lists with what POSIX has everywhere. Of a process's session it knows nothing that other systems agree on, so it counts as its group. */
async function listFromPs(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(execFile)("env", ["LC_ALL=C", "ps", "-A", "-o", psColumns], {
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout.split("\n").flatMap(parsePsLine);
}

const psColumns = "pid=,ppid=,pgid=,stat=,lstart=";

/** Exported for its test. */
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
    // It has ended.
  }
}

export function signalGroup(pid: number, name: NodeJS.Signals): void {
  signal(-pid, name);
}

/**
 * Tells each of these processes to end, once. One that passes signals on would tell its child a second time, which some
 * programs take as an order to leave everything as it is: it is told where there is nobody else yet.
 */
export function askToEnd(pids: readonly number[], passingOn?: number): void {
  const others = pids.filter((pid) => pid !== passingOn);
  for (const pid of others.length > 0 ? others : pids) signal(pid, "SIGTERM");
}
