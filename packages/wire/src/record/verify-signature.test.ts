import { createPublicKey, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { fromBase64url } from "../identity/base64url.js";
import { drawSeed } from "../identity/draw-seed.js";
import { deriveSigningKey } from "../identity/signing-key.js";
import { verifySignatureHere } from "./verify-signature.js";

const order = (1n << 252n) + 27742317777372353535851937790883648493n;
const bytes = new TextEncoder().encode("what is signed");

function signed() {
  const key = deriveSigningKey(drawSeed());
  const publicKey = fromBase64url(key.publicKey, 32);
  const signature = fromBase64url(key.sign(bytes), 64);
  if (!publicKey || !signature) throw new Error("Keys and signatures are written in base64url.");
  return { key, publicKey, signature };
}

describe("signatures that are checked in a browser", () => {
  it("[DASH-255] hold for the bytes and the key that they were made with, and for nothing else", () => {
    const { publicKey, signature } = signed();
    expect(verifySignatureHere(publicKey, bytes, signature)).toBe(true);
    expect(verifySignatureHere(publicKey, bytes.subarray(1), signature)).toBe(false);
    expect(verifySignatureHere(signed().publicKey, bytes, signature)).toBe(false);
    expect(verifySignatureHere(publicKey, bytes, signature.subarray(1))).toBe(false);
    expect(verifySignatureHere(publicKey.subarray(1), bytes, signature)).toBe(false);
  });

  it("[DASH-255] are taken and refused as OpenSSL does, a second signature made out of a good one too", () => {
    const { key, publicKey, signature } = signed();
    const other = withScalar(signature, scalarOf(signature) + order);
    const object = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key.publicKey }, format: "jwk" });
    for (const each of [signature, other, withScalar(signature, scalarOf(signature) ^ 1n)]) {
      expect(verifySignatureHere(publicKey, bytes, each)).toBe(verify(null, bytes, object, each));
    }
    expect(verifySignatureHere(publicKey, bytes, other)).toBe(false);
  });
});

function scalarOf(signature: Uint8Array): bigint {
  return signature.slice(32).reduceRight((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function withScalar(signature: Uint8Array, scalar: bigint): Uint8Array {
  const made = Uint8Array.from(signature);
  for (let place = 0; place < 32; place += 1)
    made[32 + place] = Number((scalar >> BigInt(8 * place)) & 0xffn);
  return made;
}
