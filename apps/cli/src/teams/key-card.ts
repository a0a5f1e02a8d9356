import type { KeyCard } from "@merkle/wire";
import { makeKeyCard } from "@merkle/wire/identity";
import type { KeyPair } from "./held-team.js";

/** The card of a place's session key; none for a key that is not whole. */
export function keyCardOf(key: KeyPair): KeyCard | undefined {
  const seed = seedOf(key);
  return seed && makeKeyCard(seed);
}

/** A private key is kept as its 64 bytes, of which the first half is the seed. */
export function seedOf({ private: privateKey }: KeyPair): Uint8Array | undefined {
  const bytes = Buffer.from(privateKey, "base64");
  return bytes.length === 64 ? Uint8Array.from(bytes.subarray(0, 32)) : undefined;
}
