import nacl from "tweetnacl";
import type { VerifySignature } from "../identity/head.js";

/** The order of the curve's group (RFC 8032, section 5.1), as little-endian bytes. */
const order = [
  0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/**
 * Verifies a signature where the platform cannot do so, such as on a page that was loaded without TLS.
 * tweetnacl accepts a second form of each signature, in which the group's order is added to the scalar. Like
 * OpenSSL, this function refuses that form.
 */
export const verifySignatureHere = ((publicKey, bytes, signature) =>
  publicKey.length === 32 &&
  signature.length === 64 &&
  isBelowOrder(signature.subarray(32)) &&
  nacl.sign.detached.verify(bytes, signature, publicKey)) satisfies VerifySignature;

function isBelowOrder(scalar: Uint8Array): boolean {
  for (let place = 31; place >= 0; place--) {
    const [byte = 0, limit = 0] = [scalar[place], order[place]];
    if (byte !== limit) return byte < limit;
  }
  return false;
}
