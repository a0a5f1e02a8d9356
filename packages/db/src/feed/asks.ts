import { type SQL, sql } from "drizzle-orm";
import { messages } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/**
 * Selects whether anyone but its author has replied to a message, with an answer or without. An answer counts
 * even if it is from the author, because it settles the ask.
 *
 * @param ask - the row of the message
 */
export function selectHasReply(ask: SQL): SQL {
  return sql`EXISTS (SELECT FROM ${messages} r
    WHERE r.session_id = ${ask}.session_id AND r.reply_to = ${ask}.sequence AND r.type = 'chat'
      AND (r.answers IS NOT NULL OR r.posted_by_peer_id IS DISTINCT FROM ${ask}.posted_by_peer_id))`;
}

/** Selects whether an ask without a reply was posted before a given time. */
export function selectUnanswered(ask: SQL, before: Date): SQL {
  return sql`(${ask}.posted_at < ${before.toISOString()}::timestamptz AND NOT ${selectHasReply(ask)})`;
}

/** Returns the state of an ask. Returns null if the message is not an ask or was redacted. */
export async function readAskState(
  db: Queryable,
  { sessionId, sequence }: { readonly sessionId: string; readonly sequence: number },
  before: Date,
): Promise<{ readonly isOpen: boolean; readonly isUnanswered: boolean } | null> {
  const [row] = await db.execute<{ isOpen: boolean; isUnanswered: boolean }>(sql`
    SELECT NOT ${selectHasReply(sql`m`)} AS "isOpen", ${selectUnanswered(sql`m`, before)} AS "isUnanswered"
    FROM ${messages} m
    WHERE m.session_id = ${sessionId} AND m.sequence = ${sequence} AND m.kind = 'ask' AND m.salt IS NOT NULL`);
  return row ?? null;
}
