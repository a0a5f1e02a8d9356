import { mkdir, readdir, rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { LaunchCall } from "../clients/client.js";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";

/**
 * Writes the files that a launch needs, readable only by this user because they may contain a secret from the
 * user's settings. Returns a function that removes the files and the folders created for them.
 */
export async function writeLaunchFiles(
  home: string,
  { files }: Pick<LaunchCall, "files">,
): Promise<() => Promise<void>> {
  const top = homeFiles.launch(home);
  const remove = async () => {
    for (const { path } of files) await rm(path, { force: true });
    for (const { path } of files) await removeEmptied(dirname(path), top);
  };
  try {
    await explainingHome(home, async () => {
      await mkdir(top, { recursive: true, mode: 0o700 });
      for (const { path, content } of files) {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        await replaceFile(path, content);
      }
    });
    return remove;
  } catch (error) {
    await remove();
    throw error;
  }
}

async function removeEmptied(folder: string, top: string): Promise<void> {
  if (folder.length <= top.length) return;
  const names = await readdir(folder).catch(() => undefined);
  if (names !== undefined && names.length > 0) return;
  await rmdir(folder).catch(() => undefined);
  await removeEmptied(dirname(folder), top);
}
