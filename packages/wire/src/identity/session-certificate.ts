import type { SessionCertificate } from "./hello-proof.js";
import { signedBytes } from "./signed-bytes.js";
import type { SigningKey } from "./signing-key.js";

/**
 * How long a certificate may hold. Whoever has the member's key makes a new one for each hello, so nothing needs a long
 * one; a day outlasts a clock that is hours off, and what leaks with a crashed process is worthless the day after.
 */
export const certificateMsMax = 24 * 3_600_000;

/** A statement before now, for clocks that are a little ahead of the broker's. */
const backdatedMs = 60_000;

export interface CertifiedKey {
  readonly certificate: SessionCertificate;
  readonly certificate_signature: string;
}

export interface SessionKeyToCertify {
  readonly meshId: string;
  readonly memberKey: SigningKey;
  /** The public part, in base64url. */
  readonly sessionKey: string;
  readonly label: string;
  readonly now: Date;
}

/** Lets a member's key say that a session key speaks for the member (HELLO-3). */
export function certifySessionKey(wanted: SessionKeyToCertify): CertifiedKey {
  const issuedAt = wanted.now.getTime() - backdatedMs;
  const certificate: SessionCertificate = {
    mesh_id: wanted.meshId,
    member_key: wanted.memberKey.publicKey,
    session_key: wanted.sessionKey,
    label: wanted.label,
    issued_at: new Date(issuedAt).toISOString(),
    expires_at: new Date(issuedAt + certificateMsMax).toISOString(),
  };
  return { certificate, certificate_signature: wanted.memberKey.sign(certificateBytes(certificate)) };
}

export function certificateBytes(certificate: SessionCertificate): Uint8Array {
  return signedBytes("session key", certificate);
}
