import { createHash } from "node:crypto";

/** Returns Git's object id for these bytes, in the repository's hash format. */
export function hashBlob(bytes: Uint8Array, format: ObjectFormat): string {
  return createHash(format).update(`blob ${bytes.byteLength}\0`).update(bytes).digest("hex");
}

export type ObjectFormat = "sha1" | "sha256";

export function toObjectFormat(hash: string): ObjectFormat {
  return hash.length === 64 ? "sha256" : "sha1";
}
