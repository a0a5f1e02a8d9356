import { sameBytes } from "../core/hex.js";
import { ShapeError } from "../core/shape.js";
import type { AuditKey } from "../identity/head.js";
import { isSignedByLog, parseCheckpoint, type SignedCheckpoint, toLogKey } from "./checkpoint.js";
import { type ForkEvidence, forkFormat, relateLogs } from "./fork.js";
import type { Consistency } from "./later-head.js";
import type { NoteCrypto } from "./signed-note.js";
import { determineTrust } from "./verify-keys.js";

/** A checkpoint that a client has verified and stored. */
export interface SeenCheckpoint {
  /** The note with its signatures, so that it can be shown as evidence. */
  readonly note: string;
  /** The keys that were trusted when the client saw the checkpoint. */
  readonly keys: readonly AuditKey[];
}

/** A checkpoint of the same log that a broker, a member or a file shows now. */
export interface ShownCheckpoint extends SeenCheckpoint {
  /** The proof from the smaller of the two sizes to the larger. Null if the broker gave none. */
  readonly consistency: Consistency | null;
}

/** Evidence of two checkpoints that contradict each other. */
type CheckpointFork = Extract<ForkEvidence, { of: "checkpoints" }>;

export type CheckpointComparison =
  /** Both are the same log. `earlier`: the checkpoint now shown is smaller than the stored one. */
  | { readonly outcome: "same" | "later" | "earlier" }
  /** The checkpoint is of another log, or no trusted key signed it. It says nothing about this log. */
  | { readonly outcome: "refused"; readonly message: string }
  /** Both are signed, but the proof is missing or leads nowhere. That accuses nobody. */
  | { readonly outcome: "unproven"; readonly message: string }
  /** The log's key signed two histories. */
  | { readonly outcome: "fork"; readonly message: string; readonly evidence: CheckpointFork };

/**
 * Compares a checkpoint with one that the client has stored (WITNESS-20). Only a checkpoint with the outcome
 * `later` may replace the stored one.
 */
export async function compareCheckpoint(
  seen: SeenCheckpoint,
  shown: ShownCheckpoint,
  crypto: NoteCrypto,
): Promise<CheckpointComparison> {
  const before = parseCheckpoint(seen.note, crypto.sha256);
  let now: SignedCheckpoint;
  try {
    now = parseCheckpoint(shown.note, crypto.sha256);
    if (now.origin !== before.origin) {
      return { outcome: "refused", message: `The checkpoint is of another log, ${now.origin}.` };
    }
    const signer = await findSigner(now, shown.keys, crypto);
    const trust =
      signer && (await determineTrust(signer.key_id, shown.keys, { known: seen.keys, ...crypto }));
    if (trust !== "known" && trust !== "succeeds a known one") {
      return { outcome: "refused", message: "No key that this machine trusts signed the checkpoint." };
    }
  } catch (error) {
    if (error instanceof ShapeError) return { outcome: "refused", message: error.message };
    throw error;
  }

  const isLater = now.size >= before.size;
  const [earlier, later] = isLater ? [before, now] : [now, before];
  if (earlier.size === later.size && sameBytes(earlier.root, later.root)) return { outcome: "same" };
  const relation = relateLogs(earlier, later, { consistency: shown.consistency, sha256: crypto.sha256 });
  const sizes = `the log of ${earlier.size} entries to the log of ${later.size} entries`;
  if (relation.outcome !== "fork") {
    if (relation.outcome === "unproven")
      return { outcome: "unproven", message: `No proof leads from ${sizes}.` };
    return { outcome: isLater ? "later" : "earlier" };
  }
  const [earlierNote, laterNote] = isLater ? [seen.note, shown.note] : [shown.note, seen.note];
  return {
    outcome: "fork",
    message: `One key signed two histories: nothing leads from ${sizes}.`,
    evidence: {
      ...forkFormat,
      of: "checkpoints",
      keys: joinKeys(seen.keys, shown.keys),
      earlier: earlierNote,
      later: laterNote,
      from_root: relation.from_root,
      path: relation.path,
    },
  };
}

/**
 * Returns the key that signed a checkpoint, or null.
 *
 * @throws ShapeError if a signature has the log's name and a key's id, but is invalid
 */
export async function findSigner(
  checkpoint: SignedCheckpoint,
  keys: readonly AuditKey[],
  crypto: NoteCrypto,
): Promise<AuditKey | null> {
  for (const key of keys) {
    const logKey = toLogKey(key, checkpoint.origin);
    if (logKey && (await isSignedByLog(checkpoint, logKey, crypto))) return key;
  }
  return null;
}

export function joinKeys(known: readonly AuditKey[], more: readonly AuditKey[]): readonly AuditKey[] {
  const ids = new Set(known.map(({ key_id }) => key_id));
  return [...known, ...more.filter(({ key_id }) => !ids.has(key_id))];
}
