import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, resolve } from "node:path";
import { readEnvironment } from "../../../settings/config.js";

/**
 * Returns the absolute path of a program that is given by path or by a name on PATH. Returns undefined if it
 * does not exist or is not executable.
 */
export async function findOnPath(
  program: string,
  { path = readEnvironment().path, cwd = process.cwd() }: { path?: string | undefined; cwd?: string } = {},
): Promise<string | undefined> {
  const folders = (path ?? "").split(delimiter).filter((each) => each !== "");
  const candidates = program.includes("/")
    ? [resolve(cwd, program)]
    : folders.map((folder) => resolve(folder, program));
  for (const candidate of candidates) if (await isProgram(candidate)) return candidate;
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    async () => (await stat(path)).isFile(),
    () => false,
  );
}
