import { and, between, eq, isNotNull, lt, sql } from "drizzle-orm";
import { messages, stateEntries, stateVersions } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/**
 * Returns the version of a state key that its last event before a given message reports. Returns 0 if there
 * is no such event.
 */
export async function findAnnouncedVersionBefore(
  db: Queryable,
  sessionId: string,
  key: string,
  sequence: number,
): Promise<number> {
  const content = sql`${messages.content}::json`;
  const [row] = await db
    .select({ version: sql<number>`(${content} ->> 'version')::int` })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sessionId),
        eq(messages.kind, "state_changed"),
        lt(messages.sequence, sequence),
        sql`${content} ->> 'key' = ${key}`,
      ),
    )
    .orderBy(sql`${messages.sequence} DESC`)
    .limit(1);
  return row?.version ?? 0;
}

/** Removes old values of a key from its history. The caller must hold the lock on the key. */
export async function redactStateVersions(
  tx: Transaction,
  sessionId: string,
  key: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await tx
    .update(stateVersions)
    .set({ value: null, redacted: true })
    .where(
      and(
        eq(stateVersions.scopeId, sessionId),
        eq(stateVersions.key, key),
        between(stateVersions.version, from, to),
        isNotNull(stateVersions.value),
      ),
    );
}

/**
 * Removes the value of a key in a closed session, where no one can change the key any more. The caller must
 * hold the lock on the key.
 */
export async function clearStateEntry(tx: Transaction, sessionId: string, key: string): Promise<void> {
  await tx
    .update(stateEntries)
    .set({ value: null })
    .where(and(eq(stateEntries.scopeId, sessionId), eq(stateEntries.key, key)));
}
