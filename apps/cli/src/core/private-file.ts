import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A small file of JSON for this user's eyes alone. It is read and written at once, not awaited: mail is opened between two
 * messages, and whoever reads it next must find what was noted.
 */
export function readPrivateJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces the file as a whole: a process that is killed leaves the old one or the new one. */
export function writePrivateJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomUUID()}.new`;
  try {
    writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
    renameSync(unfinished, path);
  } finally {
    rmSync(unfinished, { force: true });
  }
}
