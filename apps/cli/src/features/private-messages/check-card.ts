import { createHash, createPublicKey, verify } from "node:crypto";
import { boxKeyBytes, certificateBytes, fromBase64url } from "@merkle/wire/identity";
import { canonicalJson } from "@merkle/wire/record";
import { KeyCard } from "@merkle/wire/schemas";

/** The keys of a peer, whose signatures hold: whoever has the session key said that the box key is theirs. */
export interface CheckedCard {
  readonly sessionKey: string;
  readonly boxKey: Uint8Array;
  /** The member whose key certified the session key; null where none did. */
  readonly memberKey: string | null;
}

/**
 * Checks a card that came by way of a broker, which may have changed it; null when it does not hold. That a certificate has
 * run out since says nothing against it: it lets nobody in here, but tells who made the key.
 */
export function checkCard(given: unknown): CheckedCard | null {
  const card = KeyCard.safeParse(given).data;
  if (!card || !isSigned(boxKeyBytes(card), card.session_key, card.box_key_signature)) return null;
  const boxKey = fromBase64url(card.box_key, 32);
  if (!boxKey) return null;
  const { member } = card;
  if (member) {
    const { certificate, certificate_signature } = member;
    const holds =
      certificate.session_key === card.session_key &&
      isSigned(certificateBytes(certificate), certificate.member_key, certificate_signature);
    if (!holds) return null;
  }
  return { sessionKey: card.session_key, boxKey, memberKey: member?.certificate.member_key ?? null };
}

function isSigned(bytes: Uint8Array, key: string, signature: string): boolean {
  const publicKey = createPublicKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", x: key } });
  return verify(null, bytes, publicKey, Buffer.from(signature, "base64url"));
}

/**
 * The number that two people compare to know that nobody is in between: twelve groups of five digits, the same on both
 * sides. It follows Signal's numeric fingerprint (libsignal, `fingerprint.rs`): a group is five bytes of a SHA-512 digest,
 * taken modulo 100,000. Theirs has six groups for each side from a digest that is iterated, which slows down a search for
 * keys of half the digits; here one digest covers both sides, so that all sixty digits would have to be met at once.
 * The key that counts for a member is the member's own, so that the number stays from launch to launch.
 */
export function safetyNumber(
  ...ends: readonly [Pick<CheckedCard, KeyNames>, Pick<CheckedCard, KeyNames>]
): string {
  const keys = ends.map(({ sessionKey, memberKey }) => memberKey ?? sessionKey).sort();
  const digest = createHash("sha512")
    .update(`merkle safety number v1\n${canonicalJson(keys)}`)
    .digest();
  const groups = Array.from({ length: 12 }, (_, index) => digest.readUIntBE(index * 5, 5) % 100_000);
  return groups.map((group) => String(group).padStart(5, "0")).join(" ");
}

type KeyNames = "sessionKey" | "memberKey";
