import { fromHex } from "../core/hex.js";
import type { Sha256 } from "../core/merkle-tree.js";
import { type AuditKey, isSignedBy, type SignedHead, type VerifySignature } from "../identity/head.js";
import { verifyConsistency } from "./log-tree.js";
import { determineTrust } from "./verify-keys.js";

/** A head that a client has seen before and stored. */
export interface SeenHead {
  readonly head: SignedHead;
  /** The keys that were trusted when the client saw the head. */
  readonly keys: readonly AuditKey[];
}

/** The current head of the same record, as returned by a broker. */
export interface LaterHead {
  readonly head: SignedHead;
  readonly keys: readonly AuditKey[];
  /**
   * Proof that the feed still begins with the messages that the stored head covers. `session_proof` returns
   * it for `from_size`.
   */
  readonly consistency: Consistency | null;
  /** The consistency proof for the versions of the document. Undefined if it was not requested. */
  readonly documentConsistency?: Consistency | null | undefined;
}

export interface Consistency {
  readonly from_size: number;
  readonly from_root: string;
  readonly path: readonly string[];
}

export type HeadComparison =
  | { readonly outcome: "consistent"; readonly trust: "known" | "succeeds a known one" }
  /**
   * The newly received head covers less than the stored head, so it was signed before it and proves nothing
   * about newer entries.
   */
  | { readonly outcome: "earlier" }
  | {
      readonly outcome: "inconsistent";
      readonly reason:
        | "other record"
        | "signature"
        | "other key"
        | "cut"
        | "restored"
        | "changed"
        | "unproven";
      /** A one-sentence explanation to show to users. */
      readonly message: string;
    };

/**
 * Compares a record's head received from a broker with a head that the client saw earlier. The result is
 * `consistent` only if the new head was signed by a trusted key or by a successor that a trusted key vouches
 * for, and if the feed and the document still begin as the earlier head says.
 */
export async function checkLaterHead(
  seen: SeenHead,
  later: LaterHead,
  { sha256, verifySignature }: { sha256: Sha256; verifySignature: VerifySignature },
): Promise<HeadComparison> {
  const { head, keys } = later;
  if (head.session_id !== seen.head.session_id) {
    return reportInconsistency("other record", `The head is of another record, ${head.session_id}.`);
  }
  const key = keys.find(({ key_id }) => key_id === head.key_id);
  if (!key || !(await isSignedBy(head, key, verifySignature))) {
    return reportInconsistency(
      "signature",
      "The head's signature is not valid: it was changed, or not signed with this key.",
    );
  }
  const trust = await determineTrust(head.key_id, keys, { known: seen.keys, verifySignature });
  if (trust !== "known" && trust !== "succeeds a known one") {
    return reportInconsistency(
      "other key",
      `The head is signed with the key ${head.key_id}, which no key seen before has signed.`,
    );
  }
  if (head.size < seen.head.size || head.document.version < seen.head.document.version) {
    return compareShorter(seen.head, head);
  }
  const proofs = [
    { one: "message", from: toFeedLog(seen.head), to: toFeedLog(head), proof: later.consistency },
    {
      one: "version",
      from: toDocumentLog(seen.head),
      to: toDocumentLog(head),
      proof: later.documentConsistency,
    },
  ];
  for (const { one, from, to, proof } of proofs) {
    if (from.size === to.size ? from.root === to.root : isPrefix(from, to, proof ?? null, sha256)) continue;
    // Without a proof for the document, only the feeds are compared.
    if (one === "version" && from.size < to.size && proof === undefined) continue;
    return from.size < to.size && !proof
      ? reportInconsistency(
          "unproven",
          `Nothing proves that the first ${from.size} ${one}s are the ones that were seen ${seen.head.at}.`,
        )
      : reportInconsistency(
          "changed",
          `The first ${from.size} ${one}s differ from those seen ${seen.head.at}: the record was changed since.`,
        );
  }
  return { outcome: "consistent", trust };
}

function compareShorter(seen: SignedHead, head: SignedHead): HeadComparison {
  const less = `${head.size} messages and ${head.document.version} versions, but ${seen.size} and ${seen.document.version} were seen ${seen.at}`;
  if (head.epoch !== seen.epoch) {
    return reportInconsistency(
      "restored",
      `The record has ${less}: the broker's database was restored from an earlier backup, or cut off.`,
    );
  }
  return head.at < seen.at
    ? { outcome: "earlier" }
    : reportInconsistency("cut", `The record has ${less}: messages were removed.`);
}

interface ComparedLog {
  readonly size: number;
  readonly root: string;
}

function toFeedLog({ size, root }: SignedHead): ComparedLog {
  return { size, root };
}

function toDocumentLog({ document: { version, root } }: SignedHead): ComparedLog {
  return { size: version, root };
}

function isPrefix(from: ComparedLog, to: ComparedLog, proof: Consistency | null, sha256: Sha256): boolean {
  if (!proof || proof.from_size !== from.size) return false;
  // Uses the root that the client saw before, not the root that the broker claims for that size.
  const [fromRoot, root] = [fromHex(from.root, 32), fromHex(to.root, 32)];
  const path = proof.path.map((hash) => fromHex(hash, 32));
  if (!fromRoot || !root || !path.every((hash) => hash !== null)) return false;
  return verifyConsistency({ from: from.size, fromRoot, size: to.size, root, path }, sha256);
}

function reportInconsistency(
  reason: Extract<HeadComparison, { outcome: "inconsistent" }>["reason"],
  message: string,
): HeadComparison {
  return { outcome: "inconsistent", reason, message };
}
