import nacl from "tweetnacl";
import { toBase64url } from "./base64url.js";
import type { KeyCard } from "./key-card.js";
import type { CertifiedKey } from "./session-certificate.js";
import { encodeForSigning } from "./signed-bytes.js";
import { deriveSigningKey } from "./signing-key.js";

/** An x25519 key pair for NaCl boxes. */
export interface BoxKey {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

/**
 * Derives a box key from the seed of a session key, so that the same seed restores both keys. The seed is
 * hashed together with its purpose, so that the two keys are independent.
 */
export function deriveBoxKey(seed: Uint8Array): BoxKey {
  const purpose = new TextEncoder().encode("merkle box key from seed v1\n");
  const digest = nacl.hash(Uint8Array.from([...purpose, ...seed]));
  return nacl.box.keyPair.fromSecretKey(digest.slice(0, nacl.box.secretKeyLength));
}

/** Returns the key card that a peer publishes, made from the seed of its session key. */
export function makeKeyCard(seed: Uint8Array, member?: CertifiedKey): KeyCard {
  const sessionKey = deriveSigningKey(seed);
  const keys = {
    session_key: sessionKey.publicKey,
    box_key: toBase64url(deriveBoxKey(seed).publicKey),
  };
  return {
    ...keys,
    box_key_signature: sessionKey.sign(encodeBoxKey(keys)),
    ...(member && {
      member: { certificate: member.certificate, certificate_signature: member.certificate_signature },
    }),
  };
}

/** Returns the bytes that a session key signs in order to confirm its box key. */
export function encodeBoxKey({ session_key, box_key }: Pick<KeyCard, "session_key" | "box_key">): Uint8Array {
  return encodeForSigning("box key", { session_key, box_key });
}
