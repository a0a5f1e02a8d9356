import { hash } from "node:crypto";

/** Hashes bytes, or a string as UTF-8. Returns bytes, or a string if an encoding is given. */
export function sha256(data: string | Uint8Array): Buffer;
export function sha256(data: string | Uint8Array, encoding: "hex" | "base64" | "base64url"): string;
export function sha256(
  data: string | Uint8Array,
  encoding: "buffer" | "hex" | "base64" | "base64url" = "buffer",
): Buffer | string {
  return hash("sha256", data, encoding);
}
