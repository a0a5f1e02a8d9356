import { and, eq, lt, sql } from "drizzle-orm";
import { idempotentResults } from "./schema.js";
import type { Queryable, Transaction } from "./transactions.js";

export interface RequestKey {
  readonly meshId: string;
  /** Hash of the caller, operation and idempotency key. */
  readonly requestHash: Uint8Array;
}

/** The stored result of an earlier request with the same idempotency key. */
export interface EarlierRequest {
  readonly inputHash: Uint8Array;
  readonly sealedResult: Uint8Array;
}

/**
 * Claims an idempotency key for this transaction, or returns the result of the key's first use. If two
 * transactions race, the second waits for the first. It then returns the stored result, or claims the key if
 * the first rolled back.
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

/**
 * Claims an idempotency key permanently, without a result. Returns false if the key was already claimed. If
 * several callers race, exactly one succeeds.
 */
export async function claimOnce(db: Queryable, { meshId, requestHash }: RequestKey): Promise<boolean> {
  const claimed = await db
    .insert(idempotentResults)
    .values({ meshId, requestHash, inputHash: requestHash })
    .onConflictDoNothing()
    .returning({ meshId: idempotentResults.meshId });
  return claimed.length === 1;
}

/** Releases a key that `claimOnce` claimed. */
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

/** Stores a request's result. Call at the end of the transaction that claimed the key. */
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

/** Deletes results that are more than `olderThanHours` hours old, and returns how many were deleted. */
export async function purgeRequests(db: Queryable, olderThanHours: number): Promise<number> {
  const deleted = await db
    .delete(idempotentResults)
    .where(lt(idempotentResults.createdAt, sql`now() - make_interval(hours => ${olderThanHours})`))
    .returning({ meshId: idempotentResults.meshId });
  return deleted.length;
}
