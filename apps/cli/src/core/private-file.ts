import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isPosix } from "./platform.js";

/**
 * Reads a small JSON file that only this user may read. Returns undefined if it is missing. Synchronous,
 * because private messages are opened synchronously, and the next reader must see the last write.
 */
export function readPrivateJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Replaces the file atomically: if the process is killed, the file is either the old or the new one.
 *
 * @param isDurable - return only when the new file survives a power failure
 */
export function writePrivateJson(path: string, value: unknown, isDurable = false): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: isDurable });
    renameSync(unfinished, path);
    if (isDurable) flushFolder(dirname(path));
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Makes a rename in the folder durable. Windows cannot open a folder, and flushes its entries by itself. */
function flushFolder(path: string): void {
  if (!isPosix()) return;
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
