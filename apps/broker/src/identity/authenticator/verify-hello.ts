import { randomBytes } from "node:crypto";
import { MerkleError, type SignatureProof } from "@merkle/wire";
import { certificateMsMax, encodeCertificate, encodeHello } from "@merkle/wire/identity";
import { isSigned } from "../../core/is-signed.js";
import { computeLatestClientTime, findClockSkew } from "./clock-skew.js";

/** How long a nonce is valid after the broker's hello, measured with the broker's clock. */
const nonceMs = 30_000;

/** The facts about a connection that the answer to its hello must match. */
export interface HelloExpectation {
  readonly brokerId: string;
  /**
   * The nonce from the broker's hello on this connection. Null if the hello was already answered or the nonce
   * has expired.
   */
  readonly nonce: string | null;
  /** Returns whether an address (scheme, host and port) leads to this broker. */
  readonly isOwnOrigin: (origin: string) => boolean;
  readonly now: Date;
}

/**
 * The facts that a proof has established. The caller still has to check that `memberKey` belongs to a member of
 * the mesh.
 */
interface VerifiedHello {
  readonly meshId: string;
  readonly memberKey: string;
  readonly sessionKey: string;
  readonly label: string;
  readonly session: string | null;
}

/**
 * Verifies a signed answer to a hello (HELLO-5). The answer must have been made for this broker and this
 * connection, and recently. A member's key must have certified the answer's session key for the same mesh and
 * label.
 *
 * @throws unauthorized, with details only about the client's own input, never about who is a member
 */
export function verifyHello(proof: SignatureProof, expected: HelloExpectation): VerifiedHello {
  const { statement, certificate } = proof;
  checkOccasion(statement, expected);
  checkLifetime(certificate, expected.now);
  if (certificate.mesh_id !== statement.mesh_id || certificate.label !== statement.label) throw refuseProof();
  const isCertified = isSigned(encodeCertificate(certificate), {
    key: certificate.member_key,
    signature: proof.certificate_signature,
  });
  const isStatementSigned =
    isCertified &&
    isSigned(encodeHello(statement), { key: certificate.session_key, signature: proof.signature });
  if (!isStatementSigned) throw refuseProof();
  return {
    meshId: statement.mesh_id,
    memberKey: certificate.member_key,
    sessionKey: certificate.session_key,
    label: statement.label,
    session: statement.session,
  };
}

function checkOccasion(statement: SignatureProof["statement"], expected: HelloExpectation): void {
  if (expected.nonce === null || statement.nonce !== expected.nonce) {
    throw refuse(
      "nonce",
      "it answers a hello that belongs to another connection, was already answered, or has expired",
    );
  }
  if (statement.broker_id !== expected.brokerId) throw refuse("broker", "it was made for another broker");
  if (statement.origin === undefined) {
    throw refuse(
      "client",
      "an older client made it, which does not sign the address that it connected to; upgrade merkle there",
    );
  }
  if (!expected.isOwnOrigin(statement.origin)) {
    throw refuse(
      "origin",
      `it was made for ${JSON.stringify(statement.origin)}, which is not an address of this broker; set the address of a proxy or a container as public_url, or its host and port in MERKLE_ALLOWED_HOSTS`,
    );
  }
  const skew = findClockSkew(statement.time, expected.now);
  if (skew) throw refuse("time", skew.problem, skew.details);
}

function checkLifetime({ issued_at, expires_at }: SignatureProof["certificate"], now: Date): void {
  const [issued, expires] = [Date.parse(issued_at), Date.parse(expires_at)];
  const isInTime = issued <= computeLatestClientTime(now) && now.getTime() < expires;
  if (!isInTime || expires - issued > certificateMsMax) {
    throw refuse(
      "certificate",
      `its certificate is valid from ${issued_at} to ${expires_at}, ${describeValidityProblem(isInTime)}`,
    );
  }
}

function describeValidityProblem(isInTime: boolean): string {
  return isInTime
    ? `longer than the limit of ${certificateMsMax / 3_600_000} h`
    : "which does not include the present time";
}

/**
 * Builds the error for an invalid proof. A key that belongs to no member gets the same error, so that a client
 * cannot find out who is a member.
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

/** The challenge in one connection's hello, which can be answered once (HELLO-2). */
export interface HelloChallenge {
  /** 32 random bytes in base64url, for the broker's hello. */
  readonly nonce: string;
  /** Whether the nonce is too old to be accepted. */
  readonly isExpired: boolean;
  /** Returns the nonce on the first call and null afterwards, so that a second answer on the same connection is refused. */
  take(): string | null;
}

export function createHelloChallenge(now = () => performance.now()): HelloChallenge {
  const nonce = randomBytes(32).toString("base64url");
  const expiresAt = now() + nonceMs;
  let isTaken = false;
  return {
    nonce,
    get isExpired() {
      return now() > expiresAt;
    },
    take() {
      if (isTaken) return null;
      isTaken = true;
      return nonce;
    },
  };
}
