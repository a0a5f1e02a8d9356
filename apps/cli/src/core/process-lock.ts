import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { CliError, exitCodes } from "./cli-error.js";
import { isObject } from "./is-object.js";
import { readProcessStart } from "./process-table.js";

/**
 * A lock that at most one live process holds. The lock ends with the process, even if the process is killed.
 */
export interface ProcessLock {
  /** Extends the lock to a child process, so that the lock remains if only this process is killed. */
  include(pid: number): Promise<void>;
  /** Releases the lock. Can be called twice. */
  release(): Promise<void>;
}

/**
 * Acquires the lock at `path`. Returns null while a live process holds it. Replaces the lock of a dead
 * process.
 */
export async function takeProcessLock(path: string): Promise<ProcessLock | null> {
  while (true) {
    const lock = await createLock(path);
    if (lock) return lock;
    const current = await readLock(path);
    if (!current) continue;
    if (await isHeld(current)) return null;
    if (!(await removeLock(path, current))) return null;
  }
}

const waitPauseMs = 20;

/** Acquires the lock, waiting if another process holds it. @throws CliError `busy` after `withinMs` */
export async function waitForProcessLock(path: string, withinMs: number): Promise<ProcessLock> {
  const until = performance.now() + withinMs;
  for (;;) {
    const lock = await takeProcessLock(path);
    if (lock) return lock;
    if (performance.now() > until)
      throw new CliError("busy", `Another command has locked ${path}.`, { exitCode: exitCodes.unexpected });
    await delay(waitPauseMs);
  }
}

interface ProcessLockFile {
  /** A random value that distinguishes this lock from all other locks ever created at the path. */
  readonly nonce: string;
  readonly holders: readonly { readonly pid: number; readonly began: string }[];
}

async function createLock(path: string): Promise<ProcessLock | null> {
  const nonce = randomBytes(8).toString("hex");
  const unfinished = `${path}.${nonce}.new`;
  const write = async (pids: readonly number[]) => {
    const began = await Promise.all(pids.map(readProcessStart));
    const holders = pids.map((pid, index) => ({ pid, began: began[index] ?? "" }));
    await writeFile(unfinished, `${JSON.stringify({ nonce, holders })}\n`, { mode: 0o600 });
  };
  try {
    await write([process.pid]);
    // Creating a hard link makes the lock appear atomically with its full content, unlike opening a file and
    // then writing it.
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
 * Removes a dead process's lock, but never a lock that has replaced it. A second lock guards the removal, and
 * its holder checks the first lock again. Returns false if another live process is already removing the lock.
 */
async function removeLock(path: string, { nonce }: ProcessLockFile): Promise<boolean> {
  const removalLock = await takeProcessLock(`${path}.${nonce}`);
  if (!removalLock) return false;
  try {
    if ((await readLock(path))?.nonce === nonce) await rm(path, { force: true });
  } finally {
    await removalLock.release();
  }
  return true;
}

async function isHeld({ holders }: ProcessLockFile): Promise<boolean> {
  const began = await Promise.all(holders.map((each) => readProcessStart(each.pid)));
  return holders.some((each, index) => began[index] === each.began);
}

/**
 * Reads the lock at `path`. Undefined if there is no lock. An invalid file counts as a lock without a holder.
 */
async function readLock(path: string): Promise<ProcessLockFile | undefined> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  });
  return text === undefined ? undefined : (parseLock(text) ?? { nonce: "damaged", holders: [] });
}

function parseLock(text: string): ProcessLockFile | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isLockFile(value) ? value : undefined;
  } catch {
    // The file is damaged, for example after a power failure.
    return undefined;
  }
}

function isLockFile(value: unknown): value is ProcessLockFile {
  if (!isObject(value)) return false;
  const { nonce, holders } = value;
  return (
    typeof nonce === "string" && /^\w+$/.test(nonce) && Array.isArray(holders) && holders.every(isHolder)
  );
}

function isHolder(value: unknown): boolean {
  return isObject(value) && typeof value["pid"] === "number" && typeof value["began"] === "string";
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
