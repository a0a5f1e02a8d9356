import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import type { ClaudeCall } from "./claude-call.js";

/**
 * Writes the files that the call names, for this user's eyes alone: the user's own settings may hold a secret. Returns
 * how to remove them.
 *
 * @param settings - the call's, with those that the user gave
 */
export async function writeLaunchFiles(
  home: string,
  { configFile, config, settingsFile }: ClaudeCall,
  settings: Readonly<Record<string, unknown>>,
): Promise<() => Promise<void>> {
  const remove = async () => {
    for (const path of [configFile, settingsFile]) await rm(path, { force: true });
  };
  try {
    await explainingHome(home, async () => {
      await mkdir(homeFiles.launch(home), { recursive: true, mode: 0o700 });
      await writeWhole(configFile, config);
      await writeWhole(settingsFile, settings);
    });
    return remove;
  } catch (error) {
    await remove();
    throw error;
  }
}

async function writeWhole(path: string, content: unknown): Promise<void> {
  const unfinished = `${path}.${process.pid}.new`;
  try {
    await writeFile(unfinished, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
