import { toHex } from "../core/hex.js";

/** The files in a bundle. They are read one at a time, in any order. */
export interface BundleSource {
  readonly names: readonly string[];
  open(name: string): AsyncIterable<Uint8Array> | undefined;
}

/** An incremental SHA-256, as in node:crypto and @noble/hashes. */
export interface GrowingHash {
  update(bytes: Uint8Array): unknown;
  digest(): Uint8Array;
}

export interface ReadFile {
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Reads the files in a bundle. If a file is read to its end, records its size and hash, for comparison with
 * the manifest.
 */
export interface BundleReader {
  readonly read: ReadonlyMap<string, ReadFile>;
  /** Returns a file's bytes, or undefined if there is no such file. */
  open(name: string): AsyncIterable<Uint8Array> | undefined;
}

export function readBundle(
  source: BundleSource,
  { createSha256, signal }: { createSha256: () => GrowingHash; signal?: AbortSignal | undefined },
): BundleReader {
  const read = new Map<string, ReadFile>();

  async function* follow(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const digest = createSha256();
    let bytes = 0;
    for await (const chunk of chunks) {
      signal?.throwIfAborted();
      bytes += chunk.length;
      digest.update(chunk);
      yield chunk;
    }
    read.set(name, { bytes, sha256: toHex(digest.digest()) });
  }

  return {
    read,
    open(name) {
      const chunks = source.open(name);
      return chunks && follow(name, chunks);
    },
  };
}
