import { toHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";

/**
 * Name of the header with which a write over REST creates the calling person. The header contains form data
 * with a name, such as `name=Ana`, and a `code` if the person is to be verified (PERSON-15).
 */
export const newPersonHeader = "x-new-person";

/**
 * Returns the credential of a person who is created by their own first write (PERSON-15). The secret is 32
 * random bytes in base64url. The uuid is derived from the secret, so no one can choose another person's id.
 */
export function derivePersonCredential(secret: string, sha256: Sha256): string {
  const hash = toHex(sha256(new TextEncoder().encode(`merkle person ${secret}`)));
  // Forms a version 8 UUID (RFC 9562), the version for custom formats.
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`];
  return `${parts.join("-")}-${hash.slice(20, 32)}.mk_${secret}`;
}
