import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath } from "node:fs/promises";
import { join } from "node:path";
import { limits } from "@merkle/wire";
import { blobHash, formatOf } from "./blob-hash.js";
import type { Repository } from "./check-repository.js";
import { findCommitted } from "./committed.js";
import { NoSource } from "./source-problems.js";

/** A file's text as it lies there, committed or not. */
export interface OpenSource {
  readonly text: string;
  /** Git's name of these very bytes. */
  readonly hash: string;
  /** Of the text that was committed last; another one where the file has changes that are not. */
  readonly committedHash: string;
  readonly executable: boolean;
}

/**
 * Reads a file of a root: the only place that opens one. It must be a text that Git keeps, at this very path, with no link on
 * the way; what is not committed at all stays the business of whoever put it there (SOURCE-3).
 *
 * @param path - as `parseSourcePath` lets it through
 * @throws NoSource
 */
export async function openSource(repository: Repository, path: string): Promise<OpenSource> {
  const committed = await findCommitted(repository, path);
  if (!committed) throw new NoSource("Git keeps no file there.");
  const bytes = await readPlainFile(join(repository.folder, path));
  return {
    text: toText(bytes),
    hash: blobHash(bytes, formatOf(committed.hash)),
    committedHash: committed.hash,
    executable: committed.executable,
  };
}

async function readPlainFile(file: string): Promise<Buffer> {
  await requireAt(file);
  // Not blocking, so that nobody waits for the other end of a pipe.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch(() => undefined);
  if (!handle) throw new NoSource("There is no file there that can be read.");
  try {
    const { dev, ino } = await requireText(handle);
    // What was opened is what lies there: a folder that was exchanged for a link meanwhile is found out.
    await requireAt(file);
    const now = await lstat(file).catch(() => undefined);
    if (now?.dev !== dev || now.ino !== ino) throw new NoSource("The file is being exchanged. Try again.");
    return await readBounded(handle);
  } finally {
    await handle.close();
  }
}

/** Nothing on the way is a link, nor is anything called otherwise than it is. */
async function requireAt(file: string): Promise<void> {
  const real = await realpath(file).catch(() => undefined);
  if (real === undefined) throw new NoSource("There is no file there.");
  if (real !== file) throw new NoSource("A link leads there, and links are not followed.");
}

async function requireText(handle: FileHandle): Promise<{ dev: number; ino: number }> {
  const stat = await handle.stat();
  if (!stat.isFile()) throw new NoSource("There is no regular file there.");
  if (stat.size > limits.documentBytesMax) throw tooLarge(stat.size);
  return stat;
}

/** Its size may have been another one a moment ago. */
async function readBounded(handle: FileHandle): Promise<Buffer> {
  const buffer = Buffer.alloc(limits.documentBytesMax + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
  }
  throw tooLarge(length);
}

function toText(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // Not UTF-8: the same answer.
  }
  throw new NoSource("It is not a text in UTF-8.");
}

function tooLarge(bytes: number): NoSource {
  return new NoSource(`It has at least ${bytes} bytes; a text may have ${limits.documentBytesMax}.`);
}
