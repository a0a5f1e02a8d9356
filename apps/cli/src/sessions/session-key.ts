import { randomBytes } from "node:crypto";
import nacl from "tweetnacl";
import type { KeyPair } from "../home/stored-peers.js";

/**
 * Creates the ed25519 key of a launch. The roster shows the public key. The private key stays on this
 * machine.
 */
export function createSessionKey(): KeyPair {
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(randomBytes(32));
  return { public: toBase64(publicKey), private: toBase64(secretKey) };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
