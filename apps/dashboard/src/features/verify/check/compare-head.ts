import {
  type Consistency,
  checkLaterHead,
  type SeenHead,
  type SignedHead,
  verifySignatureHere,
} from "@merkle/wire/record";
import type { Broker } from "@/broker/broker";
import { sha256 } from "@/core/sha256";
import { getSeenHeads, storeSeenHead } from "./seen-heads";

/** How the broker's current head of a record compares with the head that this browser saw before. */
export type SeenHeadComparison = { readonly is: "same" } | DifferentHeads;

export interface DifferentHeads {
  readonly is: "different";
  readonly recordId: string;
  readonly seenHead: SeenHead;
  readonly laterHead: SignedHead;
  /** A sentence that describes the difference to the user. */
  readonly reason: string;
}

interface CompareHeadInput {
  readonly broker: Broker;
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/**
 * Reads the current signed head of a session and compares it with the head seen before. Stores the new head if it
 * extends the old head. The first head of a session is compared with itself, which checks its signature.
 *
 * @throws MerkleError if the broker does not answer
 */
export async function compareHead(input: CompareHeadInput): Promise<SeenHeadComparison> {
  const { broker, sessionId, signal } = input;
  const { head, keys } = await broker.call("session_seal", { session_id: sessionId }, { signal });
  const recordId = head.session_id;
  const seenHead = getSeenHeads()[recordId] ?? { head, keys };
  const laterHead = { head, keys, ...(await readConsistency(input, seenHead.head, head)) };
  const comparison = await checkLaterHead(seenHead, laterHead, {
    sha256,
    verifySignature: verifySignatureHere,
  });
  signal.throwIfAborted();
  if (comparison.outcome === "inconsistent") {
    return { is: "different", recordId, seenHead, laterHead: head, reason: comparison.message };
  }
  if (comparison.outcome === "consistent") storeSeenHead({ head, keys });
  return { is: "same" };
}

async function readConsistency(input: CompareHeadInput, seen: SignedHead, head: SignedHead) {
  return {
    consistency: await readConsistencyProof(input, "feed", seen.size, head.size),
    documentConsistency: await readConsistencyProof(
      input,
      "document",
      seen.document.version,
      head.document.version,
    ),
  };
}

/** Returns the consistency proof between two sizes. Null if the log has not grown. */
async function readConsistencyProof(
  { broker, sessionId, signal }: CompareHeadInput,
  log: "feed" | "document",
  from: number,
  size: number,
): Promise<Consistency | null> {
  if (from >= size) return null;
  const input = { session_id: sessionId, log, size, from_size: from };
  return (await broker.call("session_proof", input, { signal })).consistency;
}
