import nacl from "tweetnacl";

/** The order of the curve's group, the lowest byte first. */
const order = Uint8Array.from([
  0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
]);

/**
 * Checks an ed25519 signature (RFC 8032) where the platform does not: browsers have it in secure contexts alone, and not
 * all of them. Of the signatures that tweetnacl takes, those are refused that somebody else made out of a good one.
 */
export function verifySignature(publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== nacl.sign.publicKeyLength || signature.length !== nacl.sign.signatureLength)
    return false;
  return isBelowOrder(signature.subarray(32)) && nacl.sign.detached.verify(bytes, signature, publicKey);
}

function isBelowOrder(scalar: Uint8Array): boolean {
  for (let place = order.length - 1; place >= 0; place -= 1) {
    const difference = (scalar[place] ?? 0) - (order[place] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
