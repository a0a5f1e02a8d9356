import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "./postmaster-file.js";

const NAME = /^\.new-(\d+)-[0-9a-f]+$/;

/** Returns a temporary path below `parent` for a folder that will be renamed once it is complete. */
export function createUnfinishedPath(parent: string): string {
  return join(parent, `.new-${process.pid}-${randomBytes(4).toString("hex")}`);
}

/**
 * Removes the temporary folders that killed processes left in `parent`. A folder whose process is still alive
 * is kept, because it may be completed.
 */
export async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const maker = NAME.exec(name)?.[1];
    if (maker !== undefined && !isAlive(Number(maker))) {
      await removeFolder(join(parent, name));
    }
  }
}

/** Removes a folder and its contents. Retries if a child process of a killed program still writes there. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
