import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError, exitCodes } from "../core/cli-error.js";
import type { FilePlan } from "./plan-file.js";

/** The text of a file; null where there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

/**
 * Makes the file what the plan says, as a whole or not at all; its mode, and a link that leads to it, stay.
 *
 * @throws CliError `conflict` when somebody has written to it since the plan was made
 */
export async function writePlan({ path, current, next }: FilePlan): Promise<void> {
  if (current === next) return;
  if ((await readIfThere(path)) !== current) {
    throw new CliError("conflict", `${path} has changed meanwhile, and was left as it is.`, {
      exitCode: exitCodes.conflict,
      next: ["do it again"],
    });
  }
  if (next === null) return rm(path, { force: true });
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replace(current === null ? path : await realpath(path), next);
}

async function replace(path: string, text: string): Promise<void> {
  const mode = await stat(path).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  );
  const unfinished = `${path}.${randomUUID()}.new`;
  try {
    await writeFile(unfinished, text, { mode });
    // What the umask has taken away belongs to it all the same.
    await chmod(unfinished, mode);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}
