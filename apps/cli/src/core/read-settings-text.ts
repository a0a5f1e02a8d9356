import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { CliError, usageError } from "./cli-error.js";

/**
 * The text of a file of settings, or of one that such a file names; undefined where there is none. Whoever wrote a project
 * may have linked its name to a device without an end, a pipe that nobody writes to or this terminal: it is read when it is a
 * file of at most 1 MB.
 *
 * @throws CliError `usage`, naming the file
 */
export function readSettingsText(path: string): string | undefined {
  try {
    // Opening a device may do something, so it is not opened to be looked at.
    refuseOthers(path, statSync(path));
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      refuseOthers(path, fstatSync(file));
      return readFileSync(file, "utf8");
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    if (error instanceof CliError) throw error;
    throw usageError(`${path} cannot be read (${code}). Correct its permissions, or remove it.`);
  }
}

function refuseOthers(path: string, found: Stats): void {
  if (found.isFile() && found.size <= bytesMax) return;
  throw usageError(`${path} must be a file of at most 1 MB.`);
}

const bytesMax = 1_048_576;
