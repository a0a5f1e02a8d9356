import { sameBytes } from "../core/hex.js";
import { ShapeError } from "../core/shape.js";
import type { AuditKey, SignedHead } from "../identity/head.js";
import { toLogKey } from "./checkpoint.js";
import { findSigner } from "./later-checkpoint.js";
import { formatLogEntry } from "./log-entry.js";
import { isInLog, parseLogProof } from "./log-proof.js";
import type { NoteCrypto, NoteKey } from "./signed-note.js";
import { determineTrust } from "./verify-keys.js";
import { checkCosigned, type WitnessedBy, type WitnessPolicy } from "./witness-policy.js";

export interface WitnessedHeadCheck extends NoteCrypto {
  /** The proof, as a file of C2SP's tlog-proof, that a mesh's log has the head. */
  readonly proof: string;
  readonly policy: WitnessPolicy;
  /** The broker's keys. One may succeed the key that the policy names. */
  readonly keys: readonly AuditKey[];
  /** Time in seconds. */
  readonly now: number;
}

/**
 * Checks which witnesses of a policy cosigned a log that has a signed head (WITNESS-31). The caller has verified
 * the head's own signature.
 *
 * @throws ShapeError if the proof does not lead from the head to a log of the policy
 */
export async function checkHeadWitnessed(
  head: SignedHead,
  { proof: text, policy, keys, now, ...crypto }: WitnessedHeadCheck,
): Promise<WitnessedBy> {
  const proof = parseLogProof(text, crypto.sha256);
  const { checkpoint } = proof;
  if (!isInLog(formatLogEntry({ head }), proof, crypto.sha256)) {
    throw new ShapeError("The proof does not lead from this head to its checkpoint.");
  }
  const signer = await findSigner(checkpoint, keys, crypto);
  const known = keys.filter((key) =>
    policy.logs.some((log) => log.name === checkpoint.origin && isSameKey(log, toLogKey(key, log.name))),
  );
  // Without a known key nobody is trusted, so `determineTrust` must not be asked.
  const isTrusted =
    signer !== null &&
    known.length > 0 &&
    (await determineTrust(signer.key_id, keys, { known, ...crypto })) !== "other than the known one";
  const log = signer && toLogKey(signer, checkpoint.origin);
  if (!isTrusted || !log) {
    throw new ShapeError(`The policy has no key for the log ${checkpoint.origin}, or another key signed it.`);
  }
  return checkCosigned(checkpoint, { ...policy, logs: [log] }, { now, ...crypto });
}

function isSameKey(a: NoteKey, b: NoteKey | null): boolean {
  return b !== null && sameBytes(a.publicKey, b.publicKey);
}
