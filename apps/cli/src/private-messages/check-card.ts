import { createPublicKey, verify } from "node:crypto";
import { KeyCard } from "@merkle/wire";
import { boxKeyBytes, certificateBytes, fromBase64url } from "@merkle/wire/identity";

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
