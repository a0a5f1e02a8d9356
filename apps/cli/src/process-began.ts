import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/**
 * When a process began, in the system's own words, or null when there is none: tells a process from a later one that
 * got its number. A process that has ended and was not collected by its parent counts as gone. Windows has no quick
 * way to ask; there the number alone decides.
 */
export async function processBegan(pid: number): Promise<string | null> {
  if (!isAlive(pid)) return null;
  if (process.platform === "win32") return "";
  if (process.platform !== "linux") return askPs(pid);
  const [boot, status] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""),
  ]);
  // The name, in parentheses, may hold spaces. After it: the state, and as the twentieth field the start.
  const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
  const [state = ""] = fields;
  return state === "" || state === "Z" || state === "X" ? null : `${boot.trim()} ${fields[19]}`;
}

async function askPs(pid: number): Promise<string | null> {
  const shown = await promisify(execFile)("ps", ["-o", "stat=,lstart=", "-p", String(pid)]).catch(() => null);
  const [state = "", ...began] = shown?.stdout.trim().split(/\s+/) ?? [];
  return state === "" || state.startsWith("Z") ? null : began.join(" ");
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
