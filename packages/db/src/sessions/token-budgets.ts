import { sql } from "drizzle-orm";
import type { Transaction } from "../core/transactions.js";

/** Notes that a human is to be asked of a budget that is nearly used up; null when that is over. */
export async function setTokensNear(tx: Transaction, sessionId: string, near: string | null): Promise<void> {
  await tx.execute(sql`
    UPDATE sessions SET tokens_near = ${near}, tokens_near_at = CASE WHEN ${near}::text IS NULL THEN NULL ELSE now() END
    WHERE session_id = ${sessionId}`);
}

/** Counts a session's tokens anew from here. */
export async function forgetTokens(tx: Transaction, sessionId: string): Promise<void> {
  await setTokensNear(tx, sessionId, null);
  await tx.execute(sql`UPDATE sessions SET tokens_at_human = tokens_used WHERE session_id = ${sessionId}`);
  await tx.execute(sql`UPDATE teams SET tokens_at_human = tokens_used WHERE session_id = ${sessionId}`);
}
