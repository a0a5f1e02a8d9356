import { randomUUID } from "node:crypto";
import { chmod, rename, rm, writeFile } from "node:fs/promises";

/**
 * Replaces a file as a whole: a process that is killed leaves the old file or the new one. Only its owner may read it, unless
 * `mode` says otherwise. Its folder must exist.
 */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(unfinished, text, { mode });
    // The umask may have taken bits away from the mode.
    await chmod(unfinished, mode);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
