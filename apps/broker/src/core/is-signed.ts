import { createPublicKey, verify } from "node:crypto";

/**
 * Returns whether an ed25519 signature of these bytes was made with this key. The key and the signature are in
 * base64url. OpenSSL accepts only the canonical form of a signature, whose second half is below the group order
 * (RFC 8032, section 5.1.7).
 */
export function isSigned(
  bytes: Uint8Array,
  by: { readonly key: string; readonly signature: string },
): boolean {
  if (isOfSmallOrder(by.key)) return false;
  const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: by.key } });
  return verify(null, bytes, key, Buffer.from(by.signature, "base64url"));
}

/**
 * The curve points of small order in all their encodings, without the sign bit. Anyone can make a valid
 * signature for such a point.
 */
const pointsOfSmallOrder = new Set([
  "00".repeat(32),
  `01${"00".repeat(31)}`,
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  `ec${"ff".repeat(30)}7f`,
  `ed${"ff".repeat(30)}7f`,
  `ee${"ff".repeat(30)}7f`,
]);

/** Returns whether a key is a point of small order. OpenSSL accepts such keys, and they never occur by accident. */
function isOfSmallOrder(key: string): boolean {
  const point = Buffer.from(key, "base64url");
  point.writeUInt8(point.readUInt8(31) & 0x7f, 31);
  return pointsOfSmallOrder.has(point.toString("hex"));
}
