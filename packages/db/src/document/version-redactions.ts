import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import { messages } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";
import type { RedactionEvent } from "../feed/messages.js";

/** The events that tell of redacted versions of a session's document, oldest first. One that removes such an event tells it again. */
export async function listVersionRedactions(db: Queryable, sessionId: string): Promise<RedactionEvent[]> {
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
