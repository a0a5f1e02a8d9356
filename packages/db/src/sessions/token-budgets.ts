import { sql } from "drizzle-orm";
import type { Transaction } from "../core/transactions.js";

/**
 * Records the budget that is nearly used up and about which a human must be asked. Null clears the record.
 */
export async function setTokensNear(tx: Transaction, sessionId: string, near: string | null): Promise<void> {
  await tx.execute(sql`
    UPDATE sessions SET tokens_near = ${near}, tokens_near_at = CASE WHEN ${near}::text IS NULL THEN NULL ELSE now() END
    WHERE session_id = ${sessionId}`);
}

/** Restarts the count of tokens used in a session. */
export async function forgetTokens(tx: Transaction, sessionId: string): Promise<void> {
  await setTokensNear(tx, sessionId, null);
  await tx.execute(sql`UPDATE sessions SET tokens_at_human = tokens_used WHERE session_id = ${sessionId}`);
  await tx.execute(sql`UPDATE teams SET tokens_at_human = tokens_used WHERE session_id = ${sessionId}`);
}
