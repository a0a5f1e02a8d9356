import { asc, eq, sql } from "drizzle-orm";
import { auditKeys, originKeys } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

/** The public part of a key that has signed heads. */
export interface AuditKeyRow {
  readonly keyId: string;
  readonly publicKey: Uint8Array;
  readonly since: Date;
  readonly previous: string | null;
  readonly succession: Uint8Array | null;
}

/** Lists all audit keys that this database has ever had, oldest first. */
export async function listAuditKeys(db: Queryable): Promise<AuditKeyRow[]> {
  const { keyId, publicKey, since, previous, succession } = auditKeys;
  return db
    .select({ keyId, publicKey, since, previous, succession })
    .from(auditKeys)
    .orderBy(asc(auditKeys.number));
}

/** Prevents others from adding audit keys until the transaction ends. */
export async function holdAuditKeys(tx: Transaction): Promise<void> {
  await tx.execute(sql`LOCK TABLE ${auditKeys} IN SHARE ROW EXCLUSIVE MODE`);
}

/** Inserts audit keys after the existing ones. The caller must hold the lock on the keys. */
export async function addAuditKeys(tx: Transaction, keys: readonly AuditKeyRow[]): Promise<void> {
  for (const key of keys) {
    const number = sql`(SELECT coalesce(max(${auditKeys.number}), 0) + 1 FROM ${auditKeys})`;
    await tx.insert(auditKeys).values({ ...key, number });
  }
}

/** Lists the audit keys of the broker that a session was imported from, oldest first. */
export async function listOriginKeys(db: Queryable, sessionId: string): Promise<AuditKeyRow[]> {
  const { keyId, publicKey, since, previous, succession } = originKeys;
  return db
    .select({ keyId, publicKey, since, previous, succession })
    .from(originKeys)
    .where(eq(originKeys.sessionId, sessionId))
    .orderBy(asc(originKeys.since), asc(originKeys.keyId));
}
