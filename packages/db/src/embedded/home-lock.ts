import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { hasProc, isPosix } from "../files/platform.js";
import { EmbeddedPostgresError, explainPathErrors, findErrorCode } from "./error.js";
import { isAlive } from "./postmaster-file.js";
import { runProgram } from "./run-program.js";

/** This broker's exclusive lock on a home. */
export interface HomeLock {
  /** Releases the lock. May be called more than once. */
  release(): Promise<void>;
}

interface LockHolder {
  pid: number;
  host: string;
  /**
   * Start time of the process, as reported by the system. A later process with the same id has a different
   * start time.
   */
  began: string;
  /** Random id of the lock. Distinguishes two locks of the same process. */
  id: string;
}

/**
 * How often the holder of a lock updates its file, and how long a holder on another host may be silent before
 * it counts as dead.
 */
const TOUCH_EVERY_MS = 5_000;
const SILENT_MS = 20_000;
/** How long a lock file may be empty. Its writer is either about to write it or has died. */
const EMPTY_MS = 2_000;
const RETRY_MS = 20;
/** Maximum time for which a process keeps its turn. After that, the process is assumed dead. */
const TURN_MS_MAX = 5_000;

/**
 * Locks a home, so that this process is its only broker. The lock file names the process. If the process
 * named in an existing lock is dead, the lock is taken over immediately, even if another process now has that
 * id. A process on another host (containers that share a volume) cannot be inspected. Such a process counts
 * as alive while it touches the file.
 *
 * @throws EmbeddedPostgresError `home_in_use`, whose message names the other process
 */
export async function lockHome(home: string): Promise<HomeLock> {
  const path = join(home, "broker.lock");
  const id = randomBytes(8).toString("hex");
  const me: LockHolder = { pid: process.pid, host: hostname(), began: await readStartTime(process.pid), id };

  await explainPathErrors(home, async () => {
    await mkdir(home, { recursive: true, mode: 0o700 });
    while (!(await create(path, me))) await clearOrRefuse(path, home);
  });
  const touching = setInterval(() => void touch(path), TOUCH_EVERY_MS).unref();
  return {
    async release() {
      clearInterval(touching);
      if ((await readHolder(path))?.id === id) await rm(path, { force: true });
    },
  };
}

async function create(path: string, holder: LockHolder): Promise<boolean> {
  const file = await open(path, "wx", 0o644).catch(ignoreExisting);
  if (!file) return false;
  try {
    await file.writeFile(JSON.stringify(holder));
    return true;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Removes an existing lock if its holder is dead, so that the caller can try again. Throws if the holder is
 * alive.
 */
async function clearOrRefuse(path: string, home: string): Promise<void> {
  const lockFile = await readLockFile(path);
  if (!lockFile) return;
  const holder = parseHolder(lockFile.text);
  const silentMs = Date.now() - lockFile.modifiedAt;
  if (holder && (await isHeld(path, holder, silentMs))) throw inUse(home, path, holder);
  if (!holder && silentMs < EMPTY_MS) return pause(RETRY_MS);
  // Another process may have taken the lock while this one waited for a silent holder.
  await removeDead(path, lockFile);
}

async function isHeld(path: string, holder: LockHolder, silentMs: number): Promise<boolean> {
  if (holder.host === hostname()) {
    return isAlive(holder.pid) && (await readStartTime(holder.pid)) === holder.began;
  }
  if (silentMs > SILENT_MS) return false;
  // The holder was alive some seconds ago. If it is still alive, it will touch the file again.
  const before = await readModifiedTime(path);
  for (let waitedMs = silentMs; waitedMs <= SILENT_MS; waitedMs += 1_000) {
    await pause(1_000);
    const now = await readModifiedTime(path);
    if (now === undefined) return false;
    if (now !== before) return true;
  }
  return false;
}

/**
 * Removes a dead holder's lock file, unless the file has changed. If several processes find the holder dead,
 * one of them may already have created a new lock. They therefore take turns, by means of a second file that
 * exists only briefly, and check again during their turn.
 */
async function removeDead(path: string, lockFile: LockFile): Promise<void> {
  const turn = `${path}.turn`;
  if (!(await takeTurn(turn))) {
    if (((await readModifiedTime(turn)) ?? Date.now()) < Date.now() - TURN_MS_MAX)
      await rm(turn, { force: true });
    return pause(RETRY_MS);
  }
  try {
    const now = await readLockFile(path);
    if (now?.text === lockFile.text && now.modifiedAt === lockFile.modifiedAt)
      await rm(path, { force: true });
  } finally {
    await rm(turn, { force: true });
  }
}

async function takeTurn(turn: string): Promise<boolean> {
  const file = await open(turn, "wx", 0o644).catch(ignoreExisting);
  await file?.close();
  return file !== undefined;
}

interface LockFile {
  text: string;
  modifiedAt: number;
}

async function readLockFile(path: string): Promise<LockFile | undefined> {
  const text = await readFile(path, "utf8").catch(ignoreMissing);
  const modified = await readModifiedTime(path);
  return text === undefined || modified === undefined ? undefined : { text, modifiedAt: modified };
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  return parseHolder(await readFile(path, "utf8").catch(() => ""));
}

function parseHolder(text: string): LockHolder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) ? value : undefined;
  } catch {
    // Only part of the file has been written so far.
    return undefined;
  }
}

function isHolder(value: unknown): value is LockHolder {
  if (typeof value !== "object" || value === null) return false;
  if (!("pid" in value && "host" in value && "began" in value && "id" in value)) return false;
  return Number.isInteger(value.pid) && typeof value.host === "string" && typeof value.began === "string";
}

/**
 * Returns the start time of a process as reported by the system. A later process with the same id has a
 * different one. A zombie process, which its parent has not reaped (as happens in containers), is reported as
 * dead.
 */
async function readStartTime(pid: number): Promise<string> {
  if (hasProc()) {
    const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
    const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
    // The process name, in parentheses, may contain spaces, so this splits after it. The state follows, and
    // the start time is the twentieth field.
    const fields = status.slice(status.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "dead" : `${boot.trim()} ${fields[19] ?? ""}`;
  }
  // Windows has no fast way to query the start time, so only the process ids are compared.
  if (!isPosix()) return "";
  return (await runProgram("ps", ["-o", "lstart=", "-p", String(pid)])).output.trim();
}

async function readModifiedTime(path: string): Promise<number | undefined> {
  return stat(path).then(
    (found) => found.mtimeMs,
    () => undefined,
  );
}

function ignoreExisting(error: unknown): undefined {
  if (findErrorCode(error) !== "EEXIST") throw error;
}

function ignoreMissing(error: unknown): undefined {
  if (findErrorCode(error) !== "ENOENT") throw error;
}

/**
 * Updates the lock file's time. If that fails (the file was deleted by hand, or the disk fails), the broker
 * continues anyway.
 */
async function touch(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function inUse(home: string, path: string, holder: LockHolder): EmbeddedPostgresError {
  const where =
    holder.host === hostname() ? `process ${holder.pid}` : `process ${holder.pid} on ${holder.host}`;
  return new EmbeddedPostgresError(
    "home_in_use",
    `Another broker uses ${home}: ${where}. Stop it, or start this broker with another MERKLE_HOME. (If that process is not Merkle, delete ${path}.)`,
  );
}
