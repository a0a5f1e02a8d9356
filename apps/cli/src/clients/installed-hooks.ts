import { readFile } from "node:fs/promises";

/** Whether hooks of ours stand in a client's file already: those of a launch would tell of each event a second time. */
export async function isInstalled(path: string, mark: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  const packed = (each: string) => each.replace(/\s+/g, "");
  return packed(text).includes(packed(mark));
}
