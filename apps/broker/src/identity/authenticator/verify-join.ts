import { limits, MerkleError } from "@merkle/wire";
import { type JoinProof, joinBytes } from "@merkle/wire/identity";
import { isSigned } from "./is-signed.js";

/**
 * Checks that whoever joins holds the private half of the key that is to be the member, and said so to this broker just
 * now (INVITE-6).
 *
 * @throws unauthorized
 */
export function verifyJoin({ signature, ...statement }: JoinProof, brokerId: string, now = new Date()): void {
  const skewMs = Math.abs(Date.parse(statement.time) - now.getTime());
  if (skewMs > limits.joinSecondsMax * 1_000) {
    throw refuse(
      `it was signed at ${statement.time}, and here it is ${now.toISOString()}; set your clock: ${limits.joinSecondsMax} s are allowed`,
    );
  }
  const bytes = joinBytes({ broker_id: brokerId, ...statement });
  if (!isSigned(bytes, { key: statement.public_key, signature })) {
    throw refuse("the signature is not that key's over this invite, name, time and broker");
  }
}

function refuse(why: string): MerkleError {
  return new MerkleError("unauthorized", `The proof of joining does not hold: ${why}. Nothing was used up.`);
}
