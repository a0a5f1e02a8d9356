import { and, eq, lt, sql } from "drizzle-orm";
import { idempotentResults } from "./schema.js";
import type { Queryable, Transaction } from "./transactions.js";

export interface RequestKey {
  readonly meshId: string;
  /** Names caller, operation and idempotency key. */
  readonly requestHash: Uint8Array;
}

/** The result that was stored when the same key came before. */
export interface EarlierRequest {
  readonly inputHash: Uint8Array;
  readonly sealedResult: Uint8Array;
}

/**
 * Claims a key for this transaction, or returns what its first use left. Of two that race, the second waits here until the
 * first has ended, and then either finds its result or takes its place.
 */
export async function claimRequest(
  tx: Transaction,
  { meshId, requestHash }: RequestKey,
  inputHash: Uint8Array,
): Promise<EarlierRequest | null> {
  const claimed = await tx
    .insert(idempotentResults)
    .values({ meshId, requestHash, inputHash })
    .onConflictDoNothing()
    .returning({ meshId: idempotentResults.meshId });
  if (claimed.length === 1) return null;
  const earlier = await findRequest(tx, { meshId, requestHash });
  if (!earlier) throw new TypeError("A request with an idempotency key was stored without its result.");
  return earlier;
}

/** Claims a key that has no result, for good; false where it was claimed. Of any number at once one gets it. */
export async function claimOnce(db: Queryable, { meshId, requestHash }: RequestKey): Promise<boolean> {
  const claimed = await db
    .insert(idempotentResults)
    .values({ meshId, requestHash, inputHash: requestHash })
    .onConflictDoNothing()
    .returning({ meshId: idempotentResults.meshId });
  return claimed.length === 1;
}

/** Gives a claimed key back. */
export async function releaseOnce(db: Queryable, { meshId, requestHash }: RequestKey): Promise<void> {
  await db
    .delete(idempotentResults)
    .where(and(eq(idempotentResults.meshId, meshId), eq(idempotentResults.requestHash, requestHash)));
}

export async function findRequest(
  db: Queryable,
  { meshId, requestHash }: RequestKey,
): Promise<EarlierRequest | null> {
  const [row] = await db
    .select({ inputHash: idempotentResults.inputHash, sealedResult: idempotentResults.sealedResult })
    .from(idempotentResults)
    .where(and(eq(idempotentResults.meshId, meshId), eq(idempotentResults.requestHash, requestHash)));
  return row?.sealedResult ? { inputHash: row.inputHash, sealedResult: row.sealedResult } : null;
}

/** Stores a result, at the end of the transaction that claimed its key. */
export async function storeRequestResult(
  tx: Transaction,
  { meshId, requestHash }: RequestKey,
  sealedResult: Uint8Array,
): Promise<void> {
  await tx
    .update(idempotentResults)
    .set({ sealedResult })
    .where(and(eq(idempotentResults.meshId, meshId), eq(idempotentResults.requestHash, requestHash)));
}

/** Forgets the results that are older than the promise, and returns how many. */
export async function purgeRequests(db: Queryable, olderThanHours: number): Promise<number> {
  const gone = await db
    .delete(idempotentResults)
    .where(lt(idempotentResults.createdAt, sql`now() - make_interval(hours => ${olderThanHours})`))
    .returning({ meshId: idempotentResults.meshId });
  return gone.length;
}
