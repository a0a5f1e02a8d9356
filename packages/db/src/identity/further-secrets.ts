import { and, desc, eq, inArray, notInArray } from "drizzle-orm";
import { furtherSecrets } from "../core/schema.js";
import type { Queryable, Transaction } from "../start/open-database.js";
import type { LiveSecret } from "./persons.js";

/** Whose secrets: a team's in its session, or a person's in its mesh. */
export interface SecretHolder {
  readonly scopeId: string;
  readonly id: string;
}

/** Gives a team or person one more secret. Of more than `max` the oldest is good no more. */
export async function insertFurtherSecret(
  tx: Transaction,
  holder: SecretHolder,
  { secretHash, max }: { readonly secretHash: Uint8Array; readonly max: number },
): Promise<void> {
  await tx.insert(furtherSecrets).values({ scopeId: holder.scopeId, id: holder.id, secretHash });
  const newest = tx
    .select({ secretHash: furtherSecrets.secretHash })
    .from(furtherSecrets)
    .where(isOf(holder))
    .orderBy(desc(furtherSecrets.createdAt))
    .limit(max);
  await tx.delete(furtherSecrets).where(and(isOf(holder), notInArray(furtherSecrets.secretHash, newest)));
}

export async function listFurtherSecrets(db: Queryable, holder: SecretHolder): Promise<Uint8Array[]> {
  const rows = await db
    .select({ secretHash: furtherSecrets.secretHash })
    .from(furtherSecrets)
    .where(isOf(holder));
  return rows.map((row) => row.secretHash);
}

export async function deleteFurtherSecrets(tx: Transaction, holder: SecretHolder): Promise<void> {
  await tx.delete(furtherSecrets).where(isOf(holder));
}

/** Those of these ids, whether teams' or persons': to tell whether a text quotes a live one. */
export async function findFurtherSecrets(db: Queryable, ids: readonly string[]): Promise<LiveSecret[]> {
  if (ids.length === 0) return [];
  return db
    .select({ id: furtherSecrets.id, secretHash: furtherSecrets.secretHash })
    .from(furtherSecrets)
    .where(inArray(furtherSecrets.id, [...ids]));
}

function isOf({ scopeId, id }: SecretHolder) {
  return and(eq(furtherSecrets.scopeId, scopeId), eq(furtherSecrets.id, id));
}
