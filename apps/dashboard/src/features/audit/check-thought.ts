import { type MerkleProof, type ThoughtRecord, verifyMerkleProof } from "@merkle/wire";
import { serialiseThought } from "@merkle/wire/record";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";

/** The result of checking a record. */
export type ThoughtCheck =
  | { readonly holds: true; readonly steps: number }
  | { readonly holds: false; readonly problem: string };

/**
 * Checks that the record, as shown, is in the tree with this root. Computes all hashes from the record's text, without
 * trusting hashes in the record or the proof.
 */
export async function checkThought(
  record: ThoughtRecord,
  { proof }: Pick<MerkleProof, "proof">,
  root: string,
): Promise<ThoughtCheck> {
  const leaf = bytesToHex(sha256(utf8ToBytes(serialiseThought(record))));
  if (leaf !== record.hash) return { holds: false, problem: "This record doesn't match its hash." };
  if (await verifyMerkleProof(leaf, { root, proof }, sha256)) return { holds: true, steps: proof.length };
  return { holds: false, problem: "This record doesn't lead to the sealed root." };
}
