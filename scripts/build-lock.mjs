/** One process at a time builds in a checkout. */
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const lookAgainMs = 200;
/** A file that is empty for that long was left by a process that died as it wrote it. */
const emptyLooksMax = 10;

/**
 * Waits until this process holds the lock file. A lock whose process is dead is taken over, also when another process has its
 * number by now. Returns the function that gives it up; the end of the process does so, too.
 *
 * @param {string} path
 * @param {{ onWait?: (pid: number) => void }} [options] - `onWait` gets the holder, once
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

/** Of several who find the same dead holder, those that come later find another text under this second lock, and leave it. */
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

/** Returns undefined where there is no lock. */
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
    // Not written to its end.
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

/** Tells a process from a later one with its number, where the system says when it began. */
function beginningOf(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold spaces; the beginning is the twentieth field after it.
    return status.slice(status.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return "";
  }
}
