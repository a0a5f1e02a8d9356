import { randomUUID } from "node:crypto";
import { chmod, rename, rm, writeFile } from "node:fs/promises";

/**
 * Replaces a file atomically: if the process is killed, the file is either the old or the new one. By default
 * only the owner may read it. The folder must exist.
 */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(unfinished, text, { mode });
    // The umask may have removed some of the mode's bits.
    await chmod(unfinished, mode);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
