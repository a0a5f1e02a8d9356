import { createHash } from "node:crypto";

/** The name that Git gives these bytes: by SHA-256 where the repository's names are as long, else by SHA-1. */
export function blobHash(bytes: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`blob ${bytes.byteLength}\0`).update(bytes).digest("hex");
}

export type ObjectFormat = "sha1" | "sha256";

export function formatOf(hash: string): ObjectFormat {
  return hash.length === 64 ? "sha256" : "sha1";
}
