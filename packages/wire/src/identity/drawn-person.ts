import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";

/**
 * The header with which a write over REST creates the calling person. It contains a form with `name=Ana` and,
 * for verification, a `code` (PERSON-15).
 */
export const newPersonHeader = "x-new-person";

/**
 * Returns the credential of a person that is created by its own first write (PERSON-15). The secret is 32
 * random bytes in base64url. The uuid is derived from it, so no one can choose the id of another person.
 */
export function drawnCredential(secret: string, sha256: Sha256): string {
  const hash = toHex(sha256(new TextEncoder().encode(`merkle person ${secret}`)));
  // UUID version 8 of RFC 9562, for custom formats.
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `${parts.join("-")}-${hash.slice(20, 32)}.mk_${secret}`;
}
