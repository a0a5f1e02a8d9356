import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";

/** The header by which a write over REST makes the person that calls: `name=Ana`, and a `code` that verifies, as a form (PERSON-15). */
export const newPersonHeader = "x-new-person";

/**
 * The credential of a person that its own first write makes (PERSON-15). The uuid follows from the secret, 32 random bytes in
 * base64url, so that nobody can choose another's.
 */
export function drawnCredential(secret: string, sha256: Sha256): string {
  const hash = toHex(sha256(new TextEncoder().encode(`merkle person ${secret}`)));
  // Version 8 of RFC 9562: made by a rule of one's own.
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `${parts.join("-")}-${hash.slice(20, 32)}.mk_${secret}`;
}
