import { toCanonicalJson } from "../core/canonical-json.js";

const utf8 = new TextEncoder();

/**
 * Returns the bytes to sign for a value. They consist of a line with the purpose and the value's canonical
 * JSON (RFC 8785). A signature made for one purpose is therefore invalid for any other, and the order of the
 * value's fields does not matter.
 */
export function encodeForSigning(purpose: string, value: unknown, version = 1): Uint8Array {
  return utf8.encode(`merkle ${purpose} v${version}\n${toCanonicalJson(value)}`);
}
