import type { FileHandle } from "node:fs/promises";
import { mkdir, open, readFile, rename, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { explainPathErrors } from "./error.js";

const LOG_BYTES_MAX = 10 * 1024 * 1024;

/**
 * Returns the path of the server's log. The previous log is kept as well, so there are two files of at most
 * about 10 MiB each.
 */
export function logPath(home: string): string {
  return join(home, "logs", "postgres.log");
}

/**
 * Opens the log for a server that is about to start, and rotates the log if it is full. The server inherits
 * the open file, so its user needs no access to the folder.
 */
export async function openLog(home: string): Promise<FileHandle> {
  const path = logPath(home);
  return explainPathErrors(dirname(path), async () => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const found = await stat(path).catch(() => undefined);
    if (found && found.size > LOG_BYTES_MAX) await rename(path, `${path}.1`);
    return open(path, "a", 0o600);
  });
}

/** Returns the log after its first `offset` bytes, but at most the last 8,192 characters. */
export async function readLogAfter(home: string, offset: number): Promise<string> {
  return (await readFile(logPath(home))).subarray(offset).toString("utf8").slice(-8_192);
}
