import type { SessionCertificate } from "./hello-proof.js";
import { signedBytes } from "./signed-bytes.js";
import type { SigningKey } from "./signing-key.js";

/**
 * Maximum lifetime of a certificate. The holder of the member's key creates a new one for each hello, so a
 * long lifetime is unnecessary. A day tolerates a clock that is hours off, and what leaks from a crashed
 * process is worthless a day later.
 */
export const certificateMsMax = 24 * 3_600_000;

/** Certificates are backdated, for clocks slightly ahead of the broker's clock. */
const backdatedMs = 60_000;

export interface CertifiedKey {
  readonly certificate: SessionCertificate;
  readonly certificate_signature: string;
}

export interface SessionKeyToCertify {
  readonly meshId: string;
  readonly memberKey: SigningKey;
  /** The public part in base64url. */
  readonly sessionKey: string;
  readonly label: string;
  readonly now: Date;
}

/**
 * Creates the certificate with which a member's key authorises a session key to act for the member (HELLO-3).
 */
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
