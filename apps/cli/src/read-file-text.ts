import { readFile, stat } from "node:fs/promises";
import { decode } from "./command/read-text.js";
import { CliError, exitCodes, usageError } from "./core/cli-error.js";

/** The text of a file that a flag names. */
export async function readFileText(path: string, bytesMax: number): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > bytesMax) throw usageError(`${path} has ${size} bytes, at most ${bytesMax} are taken.`);
    return decode(await readFile(path), path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code !== "ENOENT") throw usageError(`${path} cannot be read (${code}).`);
    throw new CliError("file_missing", `There is no file ${path}.`, {
      exitCode: exitCodes.not_found,
      cause: error,
    });
  }
}
