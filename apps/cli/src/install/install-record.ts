import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Addition, ClientName, FileAdditions } from "../clients/client.js";
import { CliError, exitCodes } from "../core/cli-error.js";
import { explainingHome, homeFiles } from "../core/merkle-home.js";
import { replaceFile } from "../core/replace-file.js";

/** The record of a change to a file, so that it can be undone. */
export interface InstalledFile {
  readonly path: string;
  /** Left out where it is JSON. */
  readonly format?: FileAdditions["format"];
  /** The whole text as it was; null where there was no file. */
  readonly before: string | null;
  /** SHA-256 of the text as it was left. */
  readonly after: string;
  readonly added: readonly AddedPart[];
}

export interface AddedPart {
  readonly addition: Addition;
  /** The lists and objects that were made to hold it. */
  readonly made: readonly string[][];
  /** The value that stood in its place. */
  readonly replaced?: { readonly value: unknown };
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Returns the files that are installed for a client from this home; none when there is no record.
 *
 * @throws CliError when the record is damaged: then nobody can say what to undo
 */
export async function readInstalled(home: string, client: ClientName): Promise<InstalledFile[]> {
  const path = recordFile(home, client);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return '{"files": []}';
    throw error;
  });
  try {
    const { files }: { files: InstalledFile[] } = JSON.parse(text);
    // It is written as a whole and by us alone: damage shows in that it is no JSON, or has no list.
    if (Array.isArray(files)) return files;
  } catch {
    // Told below.
  }
  throw new CliError("record_damaged", `${path}, which lists what merkle install changed, is not valid.`, {
    exitCode: exitCodes.unexpected,
    next: ["remove merkle from the client's files by hand, then remove that file"],
  });
}

/** For this user's eyes alone: the texts may hold secrets. */
export async function writeInstalled(
  home: string,
  client: ClientName,
  files: readonly InstalledFile[],
): Promise<void> {
  const path = recordFile(home, client);
  if (files.length === 0) return rm(path, { force: true });
  await explainingHome(home, async () => {
    await mkdir(homeFiles.install(home), { recursive: true, mode: 0o700 });
    await replaceFile(path, `${JSON.stringify({ files }, null, 2)}\n`);
  });
}

/** Whether any client is configured from this home. */
export async function isInstalledAnywhere(home: string): Promise<boolean> {
  const names = await readdir(homeFiles.install(home)).catch(() => []);
  return names.some((name) => name.endsWith(".json"));
}

function recordFile(home: string, client: ClientName): string {
  return join(homeFiles.install(home), `${client}.json`);
}
