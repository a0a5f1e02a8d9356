import { ZipReader } from "@zip.js/zip.js/lib/zip-core-reader.js";

/** The bytes of a file, read from anywhere in it: a file handle, or a browser's Blob. */
export interface RandomAccess {
  readonly size: number;
  /** As many bytes as were asked for, or as there are. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** The files of a bundle; each may be read as often as it is needed. */
export interface ZippedFiles {
  readonly names: readonly string[];
  /** The size of all files unpacked, as the archive states it. */
  readonly unpackedBytes: number;
  /**
   * A file's bytes, unpacked as they are read; undefined when there is none of that name.
   *
   * @throws UnreadableZip while it is read, for bytes that do not unpack to what the archive says
   */
  open(name: string): AsyncIterable<Uint8Array> | undefined;
}

export interface ZipBounds {
  /** How many files there may be. */
  readonly filesMax: number;
  /** How many bytes one of them may unpack to, and how many for each packed one beyond the first 64 MiB: little can be made to unpack to very much. */
  readonly unpackedBytesMax: number;
  readonly ratioMax: number;
}

/** The file is no zip archive, or it is one that is damaged, ambiguous or too large to be looked at. */
export class UnreadableZip extends Error {
  override readonly name = "UnreadableZip";
}

/** Enough for a record of a million messages with room to spare; what is larger is somebody's trick. */
const usualBounds: ZipBounds = { filesMax: 20, unpackedBytesMax: 16 * 1024 ** 3, ratioMax: 200 };

const freeBytes = 64 * 1024 ** 2;

/** The bytes read at once: they may unpack to a thousand times as much, which must not take long. */
const chunkBytes = 8 * 1024;

/**
 * Opens the zip archive that a bundle is, without unpacking any of it. An archive that two programs could read differently
 * is refused: what one of them verifies is what the other one shows.
 *
 * @throws UnreadableZip
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
    unpackedBytes: [...files.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0),
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
  const givenUp = new AbortController();
  // How it ended is known before the stream's last chunk is: without this a failure would be one that nobody waits for.
  const ending = entry.getData(writable, { signal: givenUp.signal }).then(
    () => null,
    async (error: unknown) => {
      // An entry that fails before its first byte leaves the stream as it was, and its reader would wait for ever.
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
    givenUp.abort();
    await reader.cancel().catch(() => undefined);
    await ending;
  }
}

/** The library's own reader of a file, over any bytes. */
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
