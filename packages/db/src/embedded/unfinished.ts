import { randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isAlive } from "./postmaster-file.js";

const NAME = /^\.new-(\d+)-[0-9a-f]+$/;

/** A name beside the final one for a folder that is renamed when it is complete. */
export function unfinishedPath(parent: string): string {
  return join(parent, `.new-${process.pid}-${randomBytes(4).toString("hex")}`);
}

/** Removes what starts that were killed left in `parent`; a folder whose maker is alive may still become something. */
export async function removeUnfinished(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const maker = NAME.exec(name)?.[1];
    if (maker !== undefined && !isAlive(Number(maker))) {
      await removeFolder(join(parent, name));
    }
  }
}

/** Removes a folder with all that is in it, also while a program that was killed still has a child that writes there. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
