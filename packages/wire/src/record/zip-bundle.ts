import { ZipReader } from "@zip.js/zip.js/lib/zip-core-reader.js";
import { bundleLimits, findAttachmentDigest } from "./bundle.js";

/** A file whose bytes can be read at any position, such as a file handle or a browser's Blob. */
export interface RandomAccess {
  readonly size: number;
  /** Reads the requested number of bytes, or fewer if the file ends first. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** The files in a zipped bundle. Each can be read any number of times. */
export interface ZippedFiles {
  readonly names: readonly string[];
  /** Total size of the unpacked files as stated in the archive, without the files that messages carry. */
  readonly unpackedBytes: number;
  /** Returns the unpacked size of a file as stated in the archive, or 0 if there is no such file. */
  measure(name: string): number;
  /**
   * Returns a file's bytes, which are unpacked while they are read. Returns undefined if there is no such
   * file.
   *
   * @throws UnreadableZip while reading, if the unpacked data differs from what the archive states
   */
  open(name: string): AsyncIterable<Uint8Array> | undefined;
}

export interface ZipBounds {
  /** Maximum number of files in an archive. */
  readonly filesMax: number;
  /**
   * Maximum unpacked size of a file, and maximum ratio of unpacked to packed size beyond the first 64 MiB.
   * Without these limits, a small archive could unpack to a huge amount of data.
   */
  readonly unpackedBytesMax: number;
  readonly ratioMax: number;
}

/** Thrown if a file is not a zip archive, or if the archive is damaged, ambiguous or too large. */
export class UnreadableZip extends Error {
  override readonly name = "UnreadableZip";
}

/**
 * These limits are more than enough for a record with a million messages. Anything larger is assumed to be an
 * attack.
 */
const usualBounds: ZipBounds = {
  filesMax: 20 + bundleLimits.attachmentsMax,
  unpackedBytesMax: 16 * 1024 ** 3,
  ratioMax: 200,
};

const freeBytes = 64 * 1024 ** 2;

/**
 * Number of packed bytes that are read at a time. The number is small because they may unpack to a thousand
 * times as much, and unpacking them must not block for long.
 */
const chunkBytes = 8 * 1024;

/**
 * Opens a bundle's zip archive without unpacking it. Refuses archives that two programs could read
 * differently, because one program might then verify data that differs from what another one shows.
 *
 * @throws UnreadableZip if the file is not an acceptable archive
 */
export async function openZipBundle(
  file: RandomAccess,
  bounds: ZipBounds = usualBounds,
): Promise<ZippedFiles> {
  const zip = new ZipReader(toReader(file), {
    useWebWorkers: false,
    strictness: "strict",
    checkCrc32: true,
  });
  const files = new Map<string, ZippedFile>();
  try {
    for await (const entry of zip.getEntriesGenerator()) {
      if (entry.directory) throw new UnreadableZip("It contains folders, but a bundle has none.");
      if (entry.encrypted) throw new UnreadableZip("It is encrypted, so it is not a bundle.");
      if (files.has(entry.filename))
        throw new UnreadableZip(`It contains two files named ${quote(entry.filename)}.`);
      if (files.size === bounds.filesMax)
        throw new UnreadableZip("It contains more files than a bundle can have.");
      files.set(entry.filename, entry);
    }
  } catch (error) {
    throw toUnreadable(error);
  }
  return {
    names: [...files.keys()],
    unpackedBytes: [...files.values()]
      .filter(({ filename }) => findAttachmentDigest(filename) === null)
      .reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
    measure: (name) => files.get(name)?.uncompressedSize ?? 0,
    open(name) {
      const entry = files.get(name);
      return entry && unpack(entry, bounds);
    },
  };
}

interface ZippedFile {
  readonly filename: string;
  readonly compressedSize: number;
  readonly uncompressedSize: number;
  getData(to: WritableStream<Uint8Array>, options: { readonly signal: AbortSignal }): Promise<unknown>;
}

async function* unpack(
  entry: ZippedFile,
  { unpackedBytesMax, ratioMax }: ZipBounds,
): AsyncGenerator<Uint8Array> {
  const bytesMax = Math.min(unpackedBytesMax, freeBytes + ratioMax * entry.compressedSize);
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const cancellation = new AbortController();
  // Handles the result right away. A failure may be known before the last chunk was read, and would otherwise
  // be an unhandled rejection.
  const ending = entry.getData(writable, { signal: cancellation.signal }).then(
    () => null,
    async (error: unknown) => {
      // If an entry fails before its first byte, the library does not close the stream. Its reader would then
      // wait forever.
      await writable.abort(error).catch(() => undefined);
      return { error };
    },
  );
  const reader = readable.getReader();
  let bytes = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      bytes += next.value.length;
      if (bytes > bytesMax)
        throw new UnreadableZip(
          `${quote(entry.filename)} is too large when unpacked for a file in a bundle.`,
        );
      yield next.value;
    }
    const failure = await ending;
    if (failure) throw failure.error;
  } catch (error) {
    throw toUnreadable(error);
  } finally {
    cancellation.abort();
    await reader.cancel().catch(() => undefined);
    await ending;
  }
}

/** Adapts a file with random access to the zip library's reader interface. */
function toReader({ size, read }: RandomAccess) {
  return {
    size,
    readUint8Array: read,
    createReadable(range: { readonly offset?: number; readonly size?: number } = {}) {
      const { offset = 0 } = range;
      const end = offset + (range.size ?? size - offset);
      let at = offset;
      return new ReadableStream<Uint8Array>({
        async pull(controller) {
          const chunk = at < end ? await read(at, Math.min(chunkBytes, end - at)) : null;
          if (!chunk || chunk.length === 0) controller.close();
          else controller.enqueue(chunk);
          at += chunk?.length ?? 0;
        },
      });
    },
    get readable() {
      return this.createReadable();
    },
  };
}

function toUnreadable(error: unknown): UnreadableZip {
  if (error instanceof UnreadableZip) return error;
  const problem = error instanceof Error ? error.message : String(error);
  return new UnreadableZip(`It is not a readable zip archive: ${problem.replace(/\.$/, "")}.`, {
    cause: error,
  });
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
