import { readFile } from "node:fs/promises";

/**
 * Returns whether a client's file already contains Merkle's hooks. If a launch added its hooks as well, each
 * event would be reported twice.
 */
export async function isInstalled(path: string, mark: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  const removeSpace = (each: string) => each.replace(/\s+/g, "");
  return removeSpace(text).includes(removeSpace(mark));
}
