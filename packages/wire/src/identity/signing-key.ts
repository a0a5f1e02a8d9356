import nacl from "tweetnacl";
import { toBase64url } from "./base64url.js";

/**
 * An ed25519 key (RFC 8032) that can sign. Signatures are verified elsewhere, with OpenSSL, because tweetnacl
 * accepts malleable ones.
 */
export interface SigningKey {
  /** In base64url. */
  readonly publicKey: string;
  /** Returns the signature's 64 bytes in base64url. */
  sign(bytes: Uint8Array): string;
}

/** Generates the 32-byte seed of a key. The seed is as secret as the key itself. */
export function drawSeed(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(nacl.sign.seedLength));
}

/** @throws if the seed is not 32 bytes long */
export function signingKeyFrom(seed: Uint8Array): SigningKey {
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(seed);
  return {
    publicKey: toBase64url(publicKey),
    sign: (bytes) => toBase64url(nacl.sign.detached(bytes, secretKey)),
  };
}
