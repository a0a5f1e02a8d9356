import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { CliError, usageError } from "./cli-error.js";

/**
 * Reads a settings file, or a file named in a settings file. Returns undefined if it does not exist. Accepts
 * only regular files of at most 1 MB: a project's author could have linked the name to an endless device, a
 * pipe without a writer, or this terminal.
 *
 * @throws CliError `usage` that names the file
 */
export function readSettingsText(path: string): string | undefined {
  try {
    // Check the file type before opening the file, because opening a device can have side effects.
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

function refuseOthers(path: string, stats: Stats): void {
  if (stats.isFile() && stats.size <= bytesMax) return;
  throw usageError(`${path} must be a file of at most 1 MB.`);
}

const bytesMax = 1_048_576;
