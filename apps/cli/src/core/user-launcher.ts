import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** The line by which the script on the PATH is known as the one that `merkle install --cli` wrote. */
export const launcherMark = '# Written by "merkle install --cli"; "merkle uninstall --cli" removes it.';

export function launcherPath(home = homedir()): string {
  return join(home, ".local", "bin", "merkle");
}

/** Whether `merkle install --cli` wrote the launcher of the user with this home. */
export function hasLauncher(home?: string): boolean {
  try {
    return readFileSync(launcherPath(home), "utf8").includes(launcherMark);
  } catch {
    // There is none.
    return false;
  }
}

/** How to add the launcher's folder to the PATH, or null where the PATH has it. */
export function describeMissingPath(launcher: string, path: string | undefined): string | null {
  const folder = dirname(launcher);
  if ((path ?? "").split(delimiter).includes(folder)) return null;
  const shown = folder.startsWith(`${homedir()}/`) ? `$HOME${folder.slice(homedir().length)}` : folder;
  return `export PATH="${shown}:$PATH"`;
}
