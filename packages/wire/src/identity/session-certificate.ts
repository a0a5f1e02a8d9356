import type { SessionCertificate } from "./hello-proof.js";
import { encodeForSigning } from "./signed-bytes.js";
import type { SigningKey } from "./signing-key.js";

/**
 * Maximum lifetime of a session certificate. The holder of the member's key creates a new certificate for
 * each hello, so a longer lifetime is unnecessary. A day allows for a clock that is wrong by hours, and makes
 * anything that leaks from a crashed process worthless after a day.
 */
export const certificateMsMax = 24 * 3_600_000;

/** Certificates are backdated by this much, for clients whose clock is slightly ahead of the broker's. */
const backdatedMs = 60_000;

export interface CertifiedKey {
  readonly certificate: SessionCertificate;
  readonly certificate_signature: string;
}

export interface SessionKeyToCertify {
  readonly meshId: string;
  readonly memberKey: SigningKey;
  /** The public part of the session key, in base64url. */
  readonly sessionKey: string;
  readonly label: string;
  readonly now: Date;
}

/** Creates a certificate by which a member's key authorises a session key to act for the member (HELLO-3). */
export function certifySessionKey(request: SessionKeyToCertify): CertifiedKey {
  const issuedAt = request.now.getTime() - backdatedMs;
  const certificate: SessionCertificate = {
    mesh_id: request.meshId,
    member_key: request.memberKey.publicKey,
    session_key: request.sessionKey,
    label: request.label,
    issued_at: new Date(issuedAt).toISOString(),
    expires_at: new Date(issuedAt + certificateMsMax).toISOString(),
  };
  return { certificate, certificate_signature: request.memberKey.sign(encodeCertificate(certificate)) };
}

export function encodeCertificate(certificate: SessionCertificate): Uint8Array {
  return encodeForSigning("session key", certificate);
}
