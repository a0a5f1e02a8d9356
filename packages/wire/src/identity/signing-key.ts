import nacl from "tweetnacl";
import { toBase64url } from "./base64url.js";

/**
 * An ed25519 key (RFC 8032) that can sign. Signatures are verified by OpenSSL and not here, because tweetnacl
 * accepts malleable signatures.
 */
export interface SigningKey {
  /** The public key, in base64url. */
  readonly publicKey: string;
  /** Returns the 64 bytes of the signature in base64url. */
  sign(bytes: Uint8Array): string;
}

/**
 * Derives a signing key from its seed.
 *
 * @throws if the seed is not 32 bytes long
 */
export function deriveSigningKey(seed: Uint8Array): SigningKey {
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(seed);
  return {
    publicKey: toBase64url(publicKey),
    sign: (bytes) => toBase64url(nacl.sign.detached(bytes, secretKey)),
  };
}
