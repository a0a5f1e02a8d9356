import type { Sha256 } from "../core/merkle-tree.js";
import { fromBase64url } from "../identity/base64url.js";
import {
  type AuditKey,
  encodeSuccession,
  isValidSignature,
  toAuditKeyId,
  type VerifySignature,
} from "../identity/head.js";
import type { Trust } from "./report.js";

/**
 * Describes each fault in a list of keys in one sentence. Faults are a duplicate key, an id that does not
 * match its key, and an invalid signature by a key's predecessor. A key that no other key vouches for is not
 * a fault, but `determineTrust` does not trust it.
 */
export async function checkKeys(
  keys: readonly AuditKey[],
  { sha256, verifySignature }: { sha256: Sha256; verifySignature: VerifySignature },
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [place, key] of keys.entries()) {
    if (keys.findIndex(({ key_id }) => key_id === key.key_id) < place) {
      wrong.push(`Key ${key.key_id} occurs more than once.`);
      continue;
    }
    const publicKey = fromBase64url(key.public_key, 32);
    if (!publicKey || toAuditKeyId(publicKey, sha256) !== key.key_id) {
      wrong.push(`Key ${key.key_id} does not match its id.`);
    } else if (key.succession !== null && !(await isSucceeded(key, keys, verifySignature))) {
      wrong.push(
        `Key ${key.key_id} says that ${key.previous} has signed it, but the signature is not valid.`,
      );
    }
  }
  return wrong;
}

/**
 * Returns how far a key can be trusted. A key is trusted if it is known, or if a known key vouches for it,
 * directly or over several steps.
 */
export async function determineTrust(
  keyId: string,
  keys: readonly AuditKey[],
  { known, verifySignature }: { known: readonly AuditKey[]; verifySignature: VerifySignature },
): Promise<Trust> {
  if (known.length === 0) return "first seen";
  const isKnown = (key: AuditKey) =>
    known.some(({ key_id, public_key }) => key_id === key.key_id && public_key === key.public_key);
  let key = keys.find(({ key_id }) => key_id === keyId);
  if (key && isKnown(key)) return "known";
  // Each step goes from a key to its predecessor, so there cannot be more steps than keys.
  for (const _ of keys) {
    if (!key || !(await isSucceeded(key, keys, verifySignature))) break;
    const { previous } = key;
    key = keys.find(({ key_id }) => key_id === previous);
    if (key && isKnown(key)) return "succeeds a known one";
  }
  return "other than the known one";
}

async function isSucceeded(
  key: AuditKey,
  keys: readonly AuditKey[],
  verifySignature: VerifySignature,
): Promise<boolean> {
  const previous = keys.find(({ key_id }) => key_id === key.previous);
  if (!previous || key.succession === null) return false;
  return isValidSignature(
    { publicKey: previous.public_key, bytes: encodeSuccession(key), signature: key.succession },
    verifySignature,
  );
}
