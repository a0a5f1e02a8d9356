import { sql } from "drizzle-orm";
import type { Transaction } from "../../core/transactions.js";

/** Locks the demo room until the transaction ends, so that one node at a time can open it. */
export async function lockDemoRoom(tx: Transaction): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('demo room', 0))`);
}
