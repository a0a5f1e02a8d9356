import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import { messages } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";
import type { RedactionEventRow } from "../feed/messages.js";

/**
 * Lists the events that report redacted versions of a session's document, oldest first. If such an event is
 * itself redacted, the event that records that redaction lists the versions again.
 */
export async function listVersionRedactions(db: Queryable, sessionId: string): Promise<RedactionEventRow[]> {
  return db
    .select({ sequence: messages.sequence, content: messages.content })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sessionId),
        eq(messages.kind, "message_redacted"),
        or(isNull(messages.replyTo), sql`${messages.content} LIKE '%"document_versions"%'`),
      ),
    )
    .orderBy(asc(messages.sequence));
}
