import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { RandomAccess } from "@merkle/wire/record/zip";
import { readSteadily } from "../../transports/http/read-steadily.js";
import { openFile } from "./verify-bundle-file.js";

/** An uploaded file in a temporary location on disk. */
export interface SpooledFile extends RandomAccess {
  readonly path: string;
  /** Deletes the file. May be called twice. */
  remove(): Promise<void>;
}

function toSpoolFolder(home: string): string {
  return join(home, "imports");
}

/** Deletes temporary files that a killed broker left behind. */
export async function clearSpool(home: string): Promise<void> {
  await rm(toSpoolFolder(home), { recursive: true, force: true });
}

/**
 * Writes the body of a request to a temporary file in the home, because a bundle needs random access and is
 * read more than once.
 *
 * @throws bad_request, payload_too_large
 */
export async function spool(incoming: IncomingMessage, home: string): Promise<SpooledFile> {
  const { "content-type": contentType, "content-length": length } = incoming.headers;
  if (!/^application\/zip\s*(?:;|$)/i.test(contentType ?? "")) {
    incoming.resume();
    throw new MerkleError(
      "bad_request",
      `Expected a bundle with Content-Type: application/zip, got ${contentType ?? "no Content-Type"}.`,
    );
  }
  if (Number(length) > limits.bundleBytesMax) throw tooLarge(incoming);
  await mkdir(toSpoolFolder(home), { recursive: true, mode: 0o700 });
  const path = join(toSpoolFolder(home), `${randomUUID()}.zip`);
  try {
    await pipeline(readBounded(incoming), createWriteStream(path, { flags: "wx", mode: 0o600 }));
    return await openSpooled(path);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/**
 * Writes a stream of bytes to a temporary file in the home, and hashes them.
 *
 * @throws unavailable if the disk that contains the home is full
 */
export async function spoolBytes(
  chunks: AsyncIterable<Uint8Array>,
  home: string,
  signal: AbortSignal,
): Promise<SpooledFile & { readonly sha256: Buffer }> {
  await mkdir(toSpoolFolder(home), { recursive: true, mode: 0o700 });
  const path = join(toSpoolFolder(home), randomUUID());
  const hash = createHash("sha256");
  async function* hashChunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    await pipeline(hashChunks(), createWriteStream(path, { flags: "wx", mode: 0o600 }), { signal });
    return { ...(await openSpooled(path)), sha256: hash.digest() };
  } catch (error) {
    await rm(path, { force: true });
    if (Object(error).code === "ENOSPC") throw noRoom(home, error);
    throw error;
  }
}

function noRoom(home: string, cause: unknown): MerkleError {
  return new MerkleError(
    "unavailable",
    `The disk of ${home} is too full for a file of the archive, so nothing was changed. Free some space, then try again.`,
    { outcome: "none" },
    { cause },
  );
}

async function* readBounded(incoming: IncomingMessage): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of readSteadily(incoming, () => tooSlow(incoming))) {
    bytes += chunk.length;
    if (bytes > limits.bundleBytesMax) throw tooLarge(incoming);
    yield chunk;
  }
}

function tooSlow(incoming: IncomingMessage): MerkleError {
  incoming.resume();
  return new MerkleError(
    "unavailable",
    `The bundle arrived more slowly than ${limits.transferBytesPerSecondMin} bytes a second, so nothing was imported. Send it over a faster connection.`,
    { outcome: "none", bytes_per_second_min: limits.transferBytesPerSecondMin },
  );
}

async function openSpooled(path: string): Promise<SpooledFile> {
  const file = await openFile(path);
  let isOpen = true;
  return {
    path,
    size: file.size,
    read: file.read,
    async remove() {
      if (!isOpen) return;
      isOpen = false;
      await file.close();
      await rm(path, { force: true });
    },
  };
}

function tooLarge(incoming: IncomingMessage): MerkleError {
  incoming.resume();
  return new MerkleError(
    "payload_too_large",
    `The bundle is too large: the limit is ${limits.bundleBytesMax} bytes.`,
    { bytes_max: limits.bundleBytesMax },
  );
}
