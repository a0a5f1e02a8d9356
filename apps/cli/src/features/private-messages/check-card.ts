import { createHash, createPublicKey, verify } from "node:crypto";
import { encodeCertificate, fromBase64url } from "@merkle/wire/identity";
import { encodeBoxKey } from "@merkle/wire/keys";
import { toCanonicalJson } from "@merkle/wire/record";
import { KeyCard } from "@merkle/wire/schemas";

/** The verified keys of a peer. The box key is signed with the session key. */
export interface CheckedCard {
  readonly sessionKey: string;
  readonly boxKey: Uint8Array;
  /** The member key that certified the session key, or null. */
  readonly memberKey: string | null;
}

/**
 * Verifies a key card, which the broker could have altered. Returns null if a signature is invalid. Accepts
 * an expired certificate, because the card grants no access and only shows who created the key.
 */
export function checkCard(given: unknown): CheckedCard | null {
  const card = KeyCard.safeParse(given).data;
  if (!card || !isSigned(encodeBoxKey(card), card.session_key, card.box_key_signature)) return null;
  const boxKey = fromBase64url(card.box_key, 32);
  if (!boxKey) return null;
  const { member } = card;
  if (member) {
    const { certificate, certificate_signature } = member;
    const isCertified =
      certificate.session_key === card.session_key &&
      isSigned(encodeCertificate(certificate), certificate.member_key, certificate_signature);
    if (!isCertified) return null;
  }
  return { sessionKey: card.session_key, boxKey, memberKey: member?.certificate.member_key ?? null };
}

function isSigned(bytes: Uint8Array, key: string, signature: string): boolean {
  const publicKey = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: key } });
  return verify(null, bytes, publicKey, Buffer.from(signature, "base64url"));
}

/**
 * Returns the number that two people compare to rule out an interceptor: twelve groups of five digits, the
 * same on both sides. As in Signal's numeric fingerprint (libsignal, `fingerprint.rs`), a group is five bytes
 * of a SHA-512 digest modulo 100,000. Signal uses six groups for each side, from an iterated digest that
 * slows down a search for keys matching half of the digits. Here one digest covers both sides, so an attacker
 * must match all sixty digits. A member's number is computed from the member key, so it is the same after
 * every launch.
 */
export function computeSafetyNumber(
  ...ends: readonly [Pick<CheckedCard, KeyNames>, Pick<CheckedCard, KeyNames>]
): string {
  const keys = ends.map(({ sessionKey, memberKey }) => memberKey ?? sessionKey).sort();
  const digest = createHash("sha512")
    .update(`merkle safety number v1\n${toCanonicalJson(keys)}`)
    .digest();
  const groups = Array.from({ length: 12 }, (_, index) => digest.readUIntBE(index * 5, 5) % 100_000);
  return groups.map((group) => String(group).padStart(5, "0")).join(" ");
}

type KeyNames = "sessionKey" | "memberKey";
