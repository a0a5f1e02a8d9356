import type { Stats } from "node:fs";
import { NotPlainError, type OpenFolder, openFolderBeneath } from "@merkle/db/files";
import { limits } from "@merkle/wire/limits";
import { hashBlob, toObjectFormat } from "./blob-hash.js";
import { readHead } from "./branch.js";
import { type CommittedFile, findCommitted } from "./committed.js";
import { type FileSnapshot, readRegularFile } from "./read-regular-file.js";
import { type Repository, requireOwned } from "./repository.js";
import { NoSource } from "./source-problems.js";

/** A file's current text on disk, committed or not. */
export interface OpenSource {
  readonly text: string;
  /** Git's object id for the text on disk. */
  readonly hash: string;
  /** Hash of the last committed text. Differs from `hash` if the file has uncommitted changes. */
  readonly committedHash: string;
  readonly isExecutable: boolean;
}

/**
 * Reads a file of a root. The file must be a text file that is in Git at exactly this path, and the path
 * must not contain links. Files that were never committed cannot be read (SOURCE-3).
 *
 * @param path - as validated by `parseSourcePath`
 * @throws NoSource
 */
export async function openSource(repository: Repository, path: string): Promise<OpenSource> {
  const { commit } = await readHead(repository);
  const committed = commit === null ? null : await findCommitted(repository, commit, path);
  if (!committed) throw new NoSource("There is no file with this path in Git.");
  return withFolderOf(repository, path, async (folder, name) => {
    const { text, hash } = await readSourceFile(folder, name, { repository, committed });
    return { text, hash, committedHash: committed.hash, isExecutable: committed.isExecutable };
  });
}

/** Keeps the folder of a file open while `work` runs. */
export async function withFolderOf<Result>(
  { folder, user }: Repository,
  path: string,
  work: (folder: OpenFolder, name: string) => Promise<Result>,
): Promise<Result> {
  const names = path.split("/");
  const name = names.pop() ?? "";
  const parent = await openFolderBeneath(folder, names).catch(throwNoSource);
  try {
    requireOwned(parent, user);
    return await work(parent, name);
  } finally {
    await parent.close();
  }
}

/** Reads a file in an open folder, and returns its content and stat, both from the same open file. */
export async function readSourceFile(
  folder: OpenFolder,
  name: string,
  { repository, committed }: { readonly repository: Repository; readonly committed: CommittedFile },
): Promise<Pick<OpenSource, "text" | "hash"> & { readonly stat: Stats }> {
  const { user } = repository;
  const { bytes, stat }: FileSnapshot = await readRegularFile(folder, name, {
    bytesMax: limits.documentBytesMax,
    user,
  }).catch(throwNoSource);
  return { text: toText(bytes), hash: hashBlob(bytes, toObjectFormat(committed.hash)), stat };
}

function throwNoSource(error: unknown): never {
  if (error instanceof NotPlainError) throw new NoSource(error.message, { cause: error });
  const isSystemError = error instanceof Error && "code" in error;
  throw isSystemError ? new NoSource("There is no readable file with this path.", { cause: error }) : error;
}

function toText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // A file that is not valid UTF-8 is refused below, like a file that contains NUL.
  }
  throw new NoSource("The file is not UTF-8 text.");
}
