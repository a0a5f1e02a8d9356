import { setWitnessPolicy as storePolicy } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import { countLiesWithstood, formatPolicy, parsePolicy, toLogKey, toLogOrigin } from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import type { Context } from "../../sessions/context.js";
import { parseWitness } from "./cosigned-note.js";
import { refuseShapeErrors } from "./note-input.js";
import type { WitnessServices } from "./services.js";

/** Sets who must cosign the mesh's log (WITNESS-11). */
export async function setWitnessPolicy(
  { services }: Context<WitnessServices>,
  { policy }: ParsedInputOf<"set_witness_policy">,
): Promise<OutputOf<"set_witness_policy">> {
  const { database, meshLog, signer } = services;
  if (policy) {
    const total = policy.witnesses.length;
    if (policy.least > total) {
      throw new MerkleError("bad_request", `${policy.least} of ${total} witnesses cannot cosign.`, {
        field: "policy.least",
      });
    }
    refuseShapeErrors("policy.witnesses", () => {
      const witnesses = policy.witnesses.map(parseWitness);
      const origin = toLogOrigin(meshLog.key);
      // Parsing refuses what breaks a rule, such as a key with two names, or one of the broker's own keys.
      for (const key of signer.keys) {
        const log = toLogKey(key, origin);
        if (log) parsePolicy(formatPolicy({ log, witnesses, least: policy.least }, sha256), sha256);
      }
    });
  }
  await storePolicy(database.orm, database.meshId, policy);
  return {
    policy,
    lies_withstood: policy && countLiesWithstood({ least: policy.least, total: policy.witnesses.length }),
  };
}
