import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** The comment that identifies a script as written by `merkle install --cli`. */
export const launcherMark = '# Written by "merkle install --cli"; "merkle uninstall --cli" removes it.';

export function getLauncherPath(home = homedir()): string {
  return join(home, ".local", "bin", "merkle");
}

/** Returns whether this user's home folder contains a launcher written by `merkle install --cli`. */
export function hasLauncher(home?: string): boolean {
  try {
    return readFileSync(getLauncherPath(home), "utf8").includes(launcherMark);
  } catch {
    // The launcher does not exist.
    return false;
  }
}

/** Returns the command that adds the launcher's folder to the PATH. Null if the PATH already contains it. */
export function describeMissingPath(launcher: string, path: string | undefined): string | null {
  const folder = dirname(launcher);
  if ((path ?? "").split(delimiter).includes(folder)) return null;
  const displayPath = folder.startsWith(`${homedir()}/`) ? `$HOME${folder.slice(homedir().length)}` : folder;
  return `export PATH="${displayPath}:$PATH"`;
}
