/** A lock that lets only one process at a time build in a checkout. */
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const lookAgainMs = 200;
/** A lock file that stays empty for this many attempts was left by a process that died while writing it. */
const emptyLooksMax = 10;

/**
 * Waits until this process holds the lock file. The lock of a dead process is taken over, even if another process now
 * has the same pid. Returns a function that releases the lock. The lock also becomes free when this process ends.
 *
 * @param {string} path
 * @param {{ onWait?: (pid: number) => void }} [options] - `onWait` is called once with the holder's pid
 */
export async function takeLock(path, { onWait = () => {} } = {}) {
  const mine = JSON.stringify({ pid: process.pid, began: beginningOf(process.pid), id: randomUUID() });
  let waitsFor = 0;
  let emptyLooks = 0;
  while (!create(path, mine)) {
    const text = read(path);
    const holder = parse(text);
    emptyLooks = text === "" ? emptyLooks + 1 : 0;
    if (isHeld(holder) || (text === "" && emptyLooks < emptyLooksMax)) {
      if (holder && waitsFor !== holder.pid) onWait(holder.pid);
      waitsFor = holder?.pid ?? waitsFor;
      await pause(lookAgainMs);
    } else if (text !== undefined) {
      await removeDead(path, text);
    }
  }
  const release = () => {
    process.off("exit", release);
    if (read(path) === mine) rmSync(path, { force: true });
  };
  process.on("exit", release);
  return release;
}

/**
 * Removes a dead process's lock, under a second lock. If several processes find the same dead lock, the later processes
 * see that the lock's text has changed and do not remove it.
 */
async function removeDead(path, dead) {
  const release = await takeLock(`${path}.${parse(dead)?.id ?? "empty"}`);
  if (read(path) === dead) rmSync(path, { force: true });
  release();
}

function create(path, text) {
  try {
    const file = openSync(path, "wx");
    writeSync(file, text);
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

/** Returns the lock's text, or undefined if there is no lock. */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Another process has not finished writing the lock.
    return undefined;
  }
}

function isHeld(holder) {
  if (!holder) return false;
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (error.code === "ESRCH") return false;
  }
  return beginningOf(holder.pid) === holder.began;
}

/**
 * Returns the start time of a process, to distinguish it from a later process with the same pid. Empty if the system does not
 * provide it.
 */
function beginningOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The program's name, in parentheses, may contain spaces. The start time is the twentieth field after the name.
    return status.slice(status.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return "";
  }
}
