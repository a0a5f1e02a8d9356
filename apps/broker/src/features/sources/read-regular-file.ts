import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { NotPlainError, type OpenFolder } from "@merkle/db/files";
import { type RootUser, requireOwned } from "./repository.js";

export interface FileSnapshot {
  readonly bytes: Buffer;
  readonly stat: Stats;
}

/**
 * Reads a regular file in an open folder. Checks and reads the same file handle, so that the file cannot be
 * swapped between the two.
 *
 * @throws NotPlainError if the file is a link, not a regular file or too large; RootProblem if the file does
 * not belong to the root's owner; system errors such as ENOENT
 */
export async function readRegularFile(
  folder: OpenFolder,
  name: string,
  { bytesMax, user }: { readonly bytesMax: number; readonly user: RootUser | undefined },
): Promise<FileSnapshot> {
  const handle = await folder.open(name);
  try {
    const stat = await handle.stat();
    const path = join(folder.path, name);
    if (!stat.isFile()) throw new NotPlainError(`${path} is not a regular file.`);
    requireOwned({ uid: stat.uid, path }, user);
    return { bytes: await readBounded(handle, bytesMax), stat };
  } finally {
    await handle.close();
  }
}

/**
 * Reads at most `bytesMax` bytes. The size from `stat` is not trusted, because the file may have grown
 * since.
 */
async function readBounded(handle: FileHandle, bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  while (length <= bytesMax) {
    const piece = Buffer.alloc(Math.min(pieceBytes, bytesMax + 1 - length));
    const { bytesRead } = await handle.read(piece, 0, piece.length, length);
    if (bytesRead === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, bytesRead));
    length += bytesRead;
  }
  throw new NotPlainError(`The file has more than ${bytesMax} bytes.`);
}

const pieceBytes = 1024 * 1024;
