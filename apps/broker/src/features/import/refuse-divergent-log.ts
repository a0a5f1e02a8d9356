import type { Transaction } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { computeLogRoot, toHex } from "@merkle/wire/record";
import { sha256 } from "../../core/sha256.js";
import type { SealServices } from "../seal/feature.js";
import { createSubtreeReader } from "../seal/feature.js";

/**
 * The session that an imported record is stored in, and how much of the record is stored there
 * already.
 */
export interface ImportTarget {
  readonly tx: Transaction;
  readonly sessionId: string;
  readonly recordId: string;
  readonly size: number;
  readonly documentVersion: number;
}

/**
 * Refuses a bundle whose first entries differ from the entries that were imported earlier.
 *
 * @throws conflict
 */
export async function refuseDivergentLog(
  { workers }: SealServices,
  { tx, sessionId, recordId }: ImportTarget,
  bundleLog: { readonly log: "feed" | "document"; readonly size: number; readonly root: string },
): Promise<void> {
  const { log, size, root } = bundleLog;
  const readSubtrees = createSubtreeReader({ db: tx, workers }, { sessionId, recordId, log });
  if (toHex(await computeLogRoot(size, readSubtrees, sha256)) === root) return;
  const what = log === "feed" ? `first ${size} messages` : `first ${size} versions of the document`;
  throw new MerkleError(
    "conflict",
    `The ${what} in this bundle differ from an earlier import of the same session. One of the two was changed: verify both. Nothing was imported.`,
    { log, size, session_id: sessionId },
  );
}
