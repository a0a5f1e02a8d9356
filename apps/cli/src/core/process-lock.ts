import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";

/** What one live process has and no other. It ends with the process, whatever ended that. */
export interface ProcessLock {
  /** Lets it live on with a child of this process, should this one be killed. */
  include(pid: number): Promise<void>;
  /** May be called twice. */
  release(): Promise<void>;
}

/** Takes the lock file at `path`, or returns null while a live process has it. One that a dead process left is taken over. */
export async function takeProcessLock(path: string): Promise<ProcessLock | null> {
  while (true) {
    const taken = await createLock(path);
    if (taken) return taken;
    const found = await readLock(path);
    if (!found) continue;
    if (await isHeld(found)) return null;
    if (!(await removeLock(path, found))) return null;
  }
}

interface LockFile {
  /** Tells this lock from every other that has been or will be at the same path. */
  readonly nonce: string;
  readonly holders: readonly { readonly pid: number; readonly began: string }[];
}

async function createLock(path: string): Promise<ProcessLock | null> {
  const nonce = randomBytes(8).toString("hex");
  const unfinished = `${path}.${nonce}.new`;
  const write = async (pids: readonly number[]) => {
    const began = await Promise.all(pids.map(processBegan));
    const holders = pids.map((pid, index) => ({ pid, began: began[index] ?? "" }));
    await writeFile(unfinished, `${JSON.stringify({ nonce, holders })}\n`, { mode: 0o600 });
  };
  try {
    await write([process.pid]);
    // Unlike a file that is opened and then written, a link is there with its whole content or not at all.
    await link(unfinished, path);
  } catch (error) {
    if (isCode(error, "EEXIST")) return null;
    throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
  return {
    async include(pid) {
      await write([process.pid, pid]);
      await rename(unfinished, path);
    },
    async release() {
      if ((await readLock(path))?.nonce === nonce) await rm(path, { force: true });
    },
  };
}

/**
 * Removes a dead process's lock, and never another that came in its place: the right to remove this very lock is itself
 * locked, and whoever has it looks again. Returns false when a live process is about to do the same.
 */
async function removeLock(path: string, { nonce }: LockFile): Promise<boolean> {
  const right = await takeProcessLock(`${path}.${nonce}`);
  if (!right) return false;
  try {
    if ((await readLock(path))?.nonce === nonce) await rm(path, { force: true });
  } finally {
    await right.release();
  }
  return true;
}

async function isHeld({ holders }: LockFile): Promise<boolean> {
  const began = await Promise.all(holders.map((each) => processBegan(each.pid)));
  return holders.some((each, index) => began[index] === each.began);
}

/** The lock at `path`, or undefined when there is none. What cannot be understood is a lock that nobody holds. */
async function readLock(path: string): Promise<LockFile | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  });
  return text === undefined ? undefined : (parseLock(text) ?? { nonce: "damaged", holders: [] });
}

function parseLock(text: string): LockFile | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isLockFile(value) ? value : undefined;
  } catch {
    // Damaged, as after a power cut.
    return undefined;
  }
}

function isLockFile(value: unknown): value is LockFile {
  if (typeof value !== "object" || value === null || !("nonce" in value && "holders" in value)) return false;
  return (
    typeof value.nonce === "string" &&
    /^\w+$/.test(value.nonce) &&
    Array.isArray(value.holders) &&
    value.holders.every(isHolder)
  );
}

function isHolder(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("pid" in value && "began" in value)) return false;
  return typeof value.pid === "number" && typeof value.began === "string";
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

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
