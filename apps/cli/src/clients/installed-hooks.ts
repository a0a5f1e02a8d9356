import { readFile } from "node:fs/promises";

/**
 * Returns whether a client's file already contains Merkle's hooks. Adding a launch's hooks as well would
 * report each event twice.
 */
export async function isInstalled(path: string, mark: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  const packed = (each: string) => each.replace(/\s+/g, "");
  return packed(text).includes(packed(mark));
}
