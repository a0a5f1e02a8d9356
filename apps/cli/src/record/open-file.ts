import { open } from "node:fs/promises";
import type { RandomAccess } from "@merkle/wire/record/zip";
import { CliError, exitCodes } from "../core/cli-error.js";

/** A file that is read from anywhere in it. */
export interface OpenFile extends RandomAccess {
  close(): Promise<void>;
}

/** @throws CliError `not_found`, or `usage` for what is no file that can be read */
export async function openFile(path: string): Promise<OpenFile> {
  const file = await open(path, "r").catch((error: unknown) => {
    throw cannotOpen(path, error);
  });
  const facts = await file.stat();
  if (!facts.isFile()) {
    await file.close();
    throw cannotOpen(path, { code: "EISDIR" });
  }
  return {
    size: facts.size,
    async read(offset, length) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}

function cannotOpen(path: string, error: unknown): CliError {
  const { code = "unknown" } = Object(error);
  if (code === "ENOENT")
    return new CliError("not_found", `There is no file ${path}.`, { exitCode: exitCodes.not_found });
  return new CliError("unreadable", `${path} cannot be read (${code}).`, {
    exitCode: exitCodes.usage,
    cause: error,
  });
}
