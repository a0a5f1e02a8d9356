import { hash } from "node:crypto";

/** Returns the SHA-256 hash of a string or of bytes, in hexadecimal. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data);
}
