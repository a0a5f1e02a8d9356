import { canonicalJson } from "../core/canonical-json.js";

const utf8 = new TextEncoder();

/**
 * Returns the bytes that are signed for a value: its purpose on a line of its own, then its canonical JSON (RFC
 * 8785). A signature that was made for one purpose holds for no other, and the order in which a value's fields were
 * sent makes no difference.
 */
export function signedBytes(purpose: string, value: unknown, version = 1): Uint8Array {
  return utf8.encode(`merkle ${purpose} v${version}\n${canonicalJson(value)}`);
}
