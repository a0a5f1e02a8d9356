import { createHash, createPublicKey, hash, verify } from "node:crypto";
import type { GrowingHash, Sha256, VerifySignature } from "@merkle/wire/record";

/** The cryptographic functions for verifying records, implemented with Node's crypto module. */
export const nodeCrypto = {
  sha256: (bytes) => hash("sha256", bytes, "buffer"),
  createSha256: () => createHash("sha256"),
  verifySignature(publicKey, bytes, signature) {
    const x = Buffer.from(publicKey).toString("base64url");
    const key = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x } });
    return verify(null, bytes, key, signature);
  },
} satisfies {
  readonly sha256: Sha256;
  readonly createSha256: () => GrowingHash;
  readonly verifySignature: VerifySignature;
};
