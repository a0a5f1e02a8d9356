import { and, eq, gte, inArray, lt, min, sql } from "drizzle-orm";
import { receipts } from "../core/schema.js";
import type { Queryable } from "../start/open-database.js";

/** When peers acknowledged a message, as far as it is known; `saveProgress` writes it down. */
export async function readReceipts(
  db: Queryable,
  sessionId: string,
  sequence: number,
  peerIds: readonly string[],
): Promise<Map<string, Date>> {
  if (peerIds.length === 0) return new Map();
  const rows = await db
    .select({ peerId: receipts.peerId, at: min(receipts.at) })
    .from(receipts)
    .where(
      and(
        eq(receipts.sessionId, sessionId),
        inArray(receipts.peerId, [...peerIds]),
        gte(receipts.cursor, sequence),
      ),
    )
    .groupBy(receipts.peerId);
  return new Map(rows.flatMap(({ peerId, at }) => (at === null ? [] : [[peerId, at]])));
}

/** Forgets receipts that are older; that a message was delivered is known by the peer's cursor alone. */
export async function purgeReceipts(db: Queryable, olderThanDays: number): Promise<void> {
  await db.delete(receipts).where(lt(receipts.at, sql`now() - make_interval(days => ${olderThanDays})`));
}
