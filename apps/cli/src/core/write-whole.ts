import { randomBytes } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { link, rename, rm } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CliError, exitCodes } from "./cli-error.js";

/**
 * Writes a file under a temporary name and renames it when complete, so that no reader sees a partial file.
 * Keeps an existing file unless `replace` is set. Only the owner may read the file, because an export
 * contains everything posted in a session.
 *
 * @throws CliError `file_exists` if a file exists and `replace` is not set
 */
export async function writeWhole(
  path: string,
  bytes: Readable,
  { replace, signal }: { readonly replace: boolean; readonly signal: AbortSignal },
): Promise<void> {
  refuseExisting(path, replace);
  const unfinished = `${path}.${randomBytes(4).toString("hex")}.unfinished`;
  try {
    await pipeline(bytes, createWriteStream(unfinished, { flags: "wx", mode: 0o600 }), { signal });
    if (replace) await rename(unfinished, path);
    // Creating a link fails if a file has been created at the path in the meantime. Renaming would replace
    // that file.
    else await link(unfinished, path).catch((error: unknown) => renameUnlessExists(unfinished, path, error));
  } catch (error) {
    throw explain(path, error);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Refuses to overwrite an existing file unless `replace` is set. @throws CliError `file_exists` */
export function refuseExisting(path: string, replace: boolean): void {
  if (!replace && existsSync(path)) throw fileExists(path);
}

/** Renames the file if the file system does not support hard links. Otherwise throws the error. */
async function renameUnlessExists(unfinished: string, path: string, error: unknown): Promise<void> {
  if (Object(error).code === "EEXIST") throw fileExists(path);
  refuseExisting(path, false);
  await rename(unfinished, path);
}

function explain(path: string, error: unknown): unknown {
  const { code, syscall } = Object(error);
  if (code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET") {
    return new CliError(
      "unreachable",
      `The broker closed the connection before the end; ${path} was not written.`,
      {
        exitCode: exitCodes.unreachable,
        next: ["the same again"],
        cause: error,
      },
    );
  }
  if (typeof code !== "string" || typeof syscall !== "string") return error;
  return new CliError("unwritable", `${path} cannot be written (${code}).`, {
    exitCode: exitCodes.unexpected,
    cause: error,
  });
}

function fileExists(path: string): CliError {
  return new CliError("file_exists", `${path} already exists.`, {
    exitCode: exitCodes.conflict,
    next: ["add --force to replace it", "-o <another file>"],
  });
}
