import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, parse } from "node:path";
import { type Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { cutFileName, toFileName } from "@merkle/wire";
import { CliError, exitCodes } from "../../core/cli-error.js";
import { homeFiles } from "../../core/merkle-home.js";
import { writeWhole } from "../../core/write-whole.js";

/** What a message says about one of its files. */
export interface FileFacts {
  readonly name: string;
  readonly size: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly digest: string;
}

/** Returns the folder with the files that a peer has received. */
export function toPeerFolder(home: string, storedPeerId: string): string {
  return join(homeFiles.files(home), storedPeerId);
}

/**
 * Saves a received file in a folder and returns its path (ATTACH-21). Never replaces a file: another file of that name
 * gets a number. If the file is already there, it is not downloaded again.
 *
 * @throws CliError `damaged` if the bytes are not those that the message names
 */
export async function saveReceived(
  folder: string,
  file: FileFacts,
  { download, signal }: { readonly download: () => Promise<Readable>; readonly signal: AbortSignal },
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { path, isSaved } = await findPlace(folder, file);
  if (!isSaved) await writeChecked(path, file, await download(), { replace: false, signal });
  return path;
}

/** Writes a file whose size and digest are checked before it appears under its name. */
export async function writeChecked(
  path: string,
  file: FileFacts,
  bytes: Readable,
  options: { readonly replace: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const checked = createCheck(file);
  bytes.once("error", (error) => checked.destroy(error));
  await writeWhole(path, bytes.pipe(checked), options);
}

/** Returns the path of this file if it is in the folder, otherwise a path that is free. */
async function findPlace(
  folder: string,
  file: FileFacts,
): Promise<{ readonly path: string; readonly isSaved: boolean }> {
  const { name, ext } = parse(toSafeName(file.name));
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? `${name}${ext}` : `${name}-${number}${ext}`);
    if (!existsSync(path)) return { path, isSaved: false };
    if ((await hashFile(path)) === file.digest) return { path, isSaved: true };
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

/** Passes bytes on, and fails at the end unless they have the size and the digest of the file. */
function createCheck({ size, digest, name }: FileFacts): Transform {
  const hash = createHash("sha256");
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      if (bytes > size) done(damaged(name));
      else done(null, chunk);
    },
    flush(done) {
      done(bytes === size && hash.digest("hex") === digest ? null : damaged(name));
    },
  });
}

function damaged(name: string): CliError {
  return new CliError(
    "damaged",
    `The broker sent other bytes for ${JSON.stringify(name)} than the message names. Nothing was saved.`,
    { exitCode: exitCodes.refused },
  );
}

const nameBytesMax = 120;

/**
 * Returns a name that is safe in any folder and terminal: without path, hidden prefix, control or direction characters,
 * and without what Windows refuses. The broker checks names too, but this machine does not rely on the broker.
 */
export function toSafeName(name: string): string {
  const plain = toFileName(name.normalize("NFC"))
    .replace(/[<>:"|?*]/g, "_")
    .replace(/^[\s.]+|[\s.]+$/gu, "");
  const short = cutFileName(plain, nameBytesMax);
  if (short === "") return "file";
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu.test(short) ? `_${short}` : short;
}
