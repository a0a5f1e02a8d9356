import {
  type AuditKey,
  type FeedEntry,
  fromHex,
  hashContent,
  hashEntry,
  isSignedBy,
  type SignedHead,
  toHex,
  verifyInclusion,
  verifySignatureHere,
} from "@merkle/wire/record";
import { sha256 } from "@/core/sha256";
import type { Inclusion, Proof } from "./parse-proof";

/** The result of checking a proof in this browser. */
export interface CheckedProof {
  readonly proof: Proof;
  /** Whether the text in the proof is the recorded text. */
  readonly content: "matches" | "removed" | "private" | "differs";
  /** Whether the hashes lead from the entry to the root. */
  readonly leadsToRoot: boolean;
  /** Whether a signed head covers the root, and whether its key is known here. */
  readonly signature: "holds" | "unknown key" | "wrong" | "none";
  /** Sentences about what is wrong, in order. Empty if the proof is valid. */
  readonly findings: readonly string[];
}

/** Recomputes everything that a proof claims, and reports what is wrong. */
export async function checkProof(proof: Proof, keys: readonly AuditKey[]): Promise<CheckedProof> {
  const { inclusion, head } = proof;
  const content = checkContent(inclusion);
  const entryProblem = checkEntry(proof);
  const isInTree = doesLeadToRoot(proof);
  const headProblem = head === null ? null : checkHead(proof, head);
  const signature = head === null ? "none" : await checkSignature(head, keys);
  const subject = inclusion.log === "feed" ? `message ${inclusion.number}` : `version ${inclusion.number}`;
  const findings = [
    entryProblem,
    content === "differs" ? `The text of ${subject} differs from the recorded text.` : null,
    isInTree ? null : `The hashes do not lead from ${subject} to the root.`,
    headProblem,
    signature === "wrong" ? "The signature of the head is invalid." : null,
  ];
  return {
    proof,
    content,
    leadsToRoot: isInTree,
    signature,
    findings: findings.filter((each) => each !== null),
  };
}

function checkContent({ entry, content, salt }: Inclusion): CheckedProof["content"] {
  if (content === null || salt === null) return "private" in entry ? "private" : "removed";
  const bytes = fromHex(salt, 16);
  return bytes !== null && hashContent(bytes, content, sha256) === entry["content_hash"]
    ? "matches"
    : "differs";
}

/** Returns a problem if the entry belongs to another record, has another number, or does not match its leaf. */
function checkEntry({ record_id, inclusion: { log, number, entry, leaf } }: Proof): string | null {
  if (entry["session_id"] !== record_id) return "The entry belongs to another record.";
  if (entry[log === "feed" ? "sequence" : "version"] !== number)
    return "The number in the entry isn't the requested number.";
  return toHex(computeLeaf(entry)) === leaf ? null : "The entry doesn't match its leaf.";
}

function doesLeadToRoot({ size, root, inclusion: { number, entry, path } }: Proof): boolean {
  const hashes = path.map((hash) => fromHex(hash, 32));
  const rootHash = fromHex(root, 32);
  if (rootHash === null || !hashes.every((hash) => hash !== null)) return false;
  return verifyInclusion(
    { index: number - 1, size, leaf: computeLeaf(entry), path: hashes, root: rootHash },
    sha256,
  );
}

function computeLeaf(entry: Inclusion["entry"]): Uint8Array {
  // The entry is hashed as it is. A different entry would lead to a different root.
  return hashEntry(entry as unknown as FeedEntry, sha256);
}

function checkHead({ record_id, size, root, inclusion: { log } }: Proof, head: SignedHead): string | null {
  if (head.session_id !== record_id) return "The signed head belongs to another record.";
  const signedLog = log === "feed" ? head : { size: head.document.version, root: head.document.root };
  return signedLog.size === size && signedLog.root === root ? null : "The signed head has another root.";
}

async function checkSignature(
  head: SignedHead,
  keys: readonly AuditKey[],
): Promise<CheckedProof["signature"]> {
  const key = keys.find(({ key_id }) => key_id === head.key_id);
  if (key === undefined) return "unknown key";
  return (await isSignedBy(head, key, verifySignatureHere)) ? "holds" : "wrong";
}
