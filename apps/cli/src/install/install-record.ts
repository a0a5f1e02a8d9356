import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Addition, ClientName, FileAdditions } from "../clients/client.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { explainHomeErrors, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";

/** The record of a changed file, from which the change can be undone. */
export interface InstalledFile {
  readonly path: string;
  /** The format of the file. Defaults to JSON. */
  readonly format?: FileAdditions["format"];
  /** The file's text before the change; null if the file did not exist. */
  readonly before: string | null;
  /** The SHA-256 hash of the text after the change. */
  readonly after: string;
  readonly added: readonly AddedPart[];
}

export interface AddedPart {
  readonly addition: Addition;
  /** The paths of the lists and objects that were created to contain the addition. */
  readonly made: readonly string[][];
  /** The value that the addition replaced, which uninstall restores. */
  readonly replaced?: { readonly value: unknown };
}

/**
 * Returns the record of changes for a client. Empty if there is no record.
 *
 * @throws CliError if the record is damaged, because the changes cannot be undone without it
 */
export async function readInstalled(home: string, client: ClientName): Promise<InstalledFile[]> {
  const path = toRecordPath(home, client);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return '{"files": []}';
    throw error;
  });
  try {
    const { files }: { files: InstalledFile[] } = JSON.parse(text);
    // Only merkle writes this file, and always as a whole. A damaged file is therefore invalid JSON or lacks
    // the list.
    if (Array.isArray(files)) return files;
  } catch {
    // Invalid JSON leads to the error below.
  }
  throw new CliError("record_damaged", `${path}, which lists what merkle install changed, is not valid.`, {
    exitCode: exitCodes.unexpected,
    next: ["remove merkle from the client's files by hand, then remove that file"],
  });
}

/** Stores the record of changes. Only this user can read it, because the stored text may contain secrets. */
export async function writeInstalled(
  home: string,
  client: ClientName,
  files: readonly InstalledFile[],
): Promise<void> {
  const path = toRecordPath(home, client);
  if (files.length === 0) return rm(path, { force: true });
  await explainHomeErrors(home, async () => {
    await mkdir(homeFiles.install(home), { recursive: true, mode: 0o700 });
    await replaceFile(path, `${JSON.stringify({ files }, null, 2)}\n`);
  });
}

/** Returns whether a client has been configured by this home's `merkle install`. */
export async function isInstalledAnywhere(home: string): Promise<boolean> {
  const names = await readdir(homeFiles.install(home)).catch(() => []);
  return names.some((name) => name.endsWith(".json"));
}

function toRecordPath(home: string, client: ClientName): string {
  return join(homeFiles.install(home), `${client}.json`);
}
