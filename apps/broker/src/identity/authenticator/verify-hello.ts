import { randomBytes } from "node:crypto";
import { MerkleError, type SignatureProof } from "@merkle/wire";
import { certificateBytes, certificateMsMax, helloBytes } from "@merkle/wire/identity";
import { isSigned } from "../../core/is-signed.js";
import { findClockSkew, latestClientTime } from "./clock-skew.js";

/** How long after the broker's hello its nonce is good, by the broker's clock. */
const nonceMs = 30_000;

/** The facts of the connection whose hello is answered, which the answer must be made for. */
export interface AskedHello {
  readonly brokerId: string;
  /** The nonce of the broker's hello on this connection; null when it was answered before or has expired. */
  readonly nonce: string | null;
  /** Whether this scheme, host and port lead to the broker. */
  readonly isOwnOrigin: (origin: string) => boolean;
  readonly now: Date;
}

/** The facts that a proof shows: the holder of `memberKey` speaks. Whether that is a member of the mesh, its table says. */
interface VerifiedHello {
  readonly meshId: string;
  readonly memberKey: string;
  readonly sessionKey: string;
  readonly label: string;
  readonly session: string | null;
}

/**
 * Checks a signed answer to a hello (HELLO-5): that it was made for this broker, this connection and this moment, by a
 * session key that a member's key certified for the same mesh and label.
 *
 * @throws unauthorized. What it tells is about what the client itself sent, never about who is a member.
 */
export function verifyHello(proof: SignatureProof, asked: AskedHello): VerifiedHello {
  const { statement, certificate } = proof;
  checkOccasion(statement, asked);
  checkLifetime(certificate, asked.now);
  if (certificate.mesh_id !== statement.mesh_id || certificate.label !== statement.label) throw refuseProof();
  const certified = isSigned(certificateBytes(certificate), {
    key: certificate.member_key,
    signature: proof.certificate_signature,
  });
  const stated =
    certified &&
    isSigned(helloBytes(statement), { key: certificate.session_key, signature: proof.signature });
  if (!stated) throw refuseProof();
  return {
    meshId: statement.mesh_id,
    memberKey: certificate.member_key,
    sessionKey: certificate.session_key,
    label: statement.label,
    session: statement.session,
  };
}

function checkOccasion(statement: SignatureProof["statement"], asked: AskedHello): void {
  if (asked.nonce === null || statement.nonce !== asked.nonce) {
    throw refuse(
      "nonce",
      "it answers a hello that belongs to another connection, was already answered, or has expired",
    );
  }
  if (statement.broker_id !== asked.brokerId) throw refuse("broker", "it was made for another broker");
  if (statement.origin === undefined) {
    throw refuse(
      "client",
      "an older client made it, which does not sign the address that it connected to; upgrade merkle there",
    );
  }
  if (!asked.isOwnOrigin(statement.origin)) {
    throw refuse(
      "origin",
      `it was made for ${JSON.stringify(statement.origin)}, which is not an address of this broker; set the address of a proxy or a container as public_url, or its host and port in MERKLE_ALLOWED_HOSTS`,
    );
  }
  const skew = findClockSkew(statement.time, asked.now);
  if (skew) throw refuse("time", skew.problem, skew.details);
}

function checkLifetime({ issued_at, expires_at }: SignatureProof["certificate"], now: Date): void {
  const [issued, expires] = [Date.parse(issued_at), Date.parse(expires_at)];
  const inTime = issued <= latestClientTime(now) && now.getTime() < expires;
  if (!inTime || expires - issued > certificateMsMax) {
    throw refuse(
      "certificate",
      `its certificate is valid from ${issued_at} to ${expires_at}, ${whyNotNow(inTime)}`,
    );
  }
}

function whyNotNow(inTime: boolean): string {
  return inTime
    ? `longer than the limit of ${certificateMsMax / 3_600_000} h`
    : "which does not include the present time";
}

/**
 * The refusal of a proof that does not hold; the same for a key that belongs to nobody, so that a stranger learns nothing
 * about who is a member.
 */
function refuseProof(): MerkleError {
  return refuse("proof", "it is not signed by a member of the mesh");
}

function refuse(reason: string, why: string, details: object = {}): MerkleError {
  return new MerkleError("unauthorized", `The broker rejected the client's proof of identity: ${why}.`, {
    reason,
    ...details,
  });
}

/** The challenge in the hello of one connection, good for one answer (HELLO-2). */
export interface HelloChallenge {
  /** 32 random bytes in base64url, for the broker's hello. */
  readonly nonce: string;
  /** Whether the nonce is too old to prove anything. */
  readonly isExpired: boolean;
  /** Gives the nonce to the first who asks, and null ever after: a second answer on the same connection proves nothing. */
  take(): string | null;
}

export function createHelloChallenge(now = () => performance.now()): HelloChallenge {
  const nonce = randomBytes(32).toString("base64url");
  const expiresAt = now() + nonceMs;
  let taken = false;
  return {
    nonce,
    get isExpired() {
      return now() > expiresAt;
    },
    take() {
      if (taken) return null;
      taken = true;
      return nonce;
    },
  };
}
