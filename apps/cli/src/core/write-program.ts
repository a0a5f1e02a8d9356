import { randomUUID } from "node:crypto";
import { chmod, rename, rm, writeFile } from "node:fs/promises";

/** Replaces a program atomically: a start during the write runs either the old program or the new one. */
export async function writeProgram(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(unfinished, text);
    await chmod(unfinished, 0o755);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
