import { eq, sql } from "drizzle-orm";
import {
  documents,
  documentWords,
  feeds,
  messages,
  messageWords,
  searchHeads,
  sessions,
} from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import { selectMessageText } from "./message-text.js";

/**
 * Lists sessions with messages or documents that have not been indexed yet. Sessions with the newest messages
 * come first.
 */
export async function listUnindexedSessions(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db
    .select({ sessionId: sessions.sessionId })
    .from(sessions)
    .innerJoin(feeds, eq(feeds.sessionId, sessions.sessionId))
    .innerJoin(documents, eq(documents.sessionId, sessions.sessionId))
    .leftJoin(searchHeads, eq(searchHeads.sessionId, sessions.sessionId))
    .where(
      sql`${feeds.lastChatSequence} > coalesce(${searchHeads.lastSequence}, 0)
        OR ${documents.version} > coalesce(${searchHeads.documentVersion}, 0)`,
    )
    .orderBy(sql`${feeds.lastPostedAt} DESC NULLS LAST`)
    .limit(limit);
  return rows.map((row) => row.sessionId);
}

/** Locks the index positions of these sessions until the transaction ends. Only indexers use these locks. */
export async function holdSearchHeads(tx: Transaction, sessionIds: readonly string[]): Promise<void> {
  // Always locks in the same order, so that two indexers cannot deadlock.
  const ids = [...sessionIds].sort();
  await tx
    .insert(searchHeads)
    .values(ids.map((sessionId) => ({ sessionId })))
    .onConflictDoNothing();
  await tx.execute(
    sql`SELECT FROM ${searchHeads} WHERE ${searchHeads.sessionId} = ANY (${toArray(ids)}::uuid[])
        ORDER BY ${searchHeads.sessionId} FOR UPDATE`,
  );
}

/**
 * Indexes the next messages of these sessions, one session after another, and returns how many were indexed.
 * At least one message is indexed if any is left. The caller must hold the locks.
 */
export async function indexMessages(
  tx: Transaction,
  sessionIds: readonly string[],
  { messagesMax, bytesMax }: { messagesMax: number; bytesMax: number },
): Promise<number> {
  const [row] = await tx.execute<{ indexed: number }>(sql`
    WITH waiting AS (
      SELECT m.*, sum(m.bytes) OVER (ORDER BY wanted.place, m.sequence) - m.bytes AS bytes_before
      FROM unnest(${toArray(sessionIds)}::uuid[]) WITH ORDINALITY AS wanted (session_id, place)
      JOIN ${searchHeads} h ON h.session_id = wanted.session_id
      CROSS JOIN LATERAL (
        SELECT session_id, sequence, posted_at, content, octet_length(content) AS bytes FROM ${messages}
        WHERE session_id = h.session_id AND sequence > h.last_sequence AND type = 'chat'
        ORDER BY sequence LIMIT ${messagesMax}
      ) m
      ORDER BY wanted.place, m.sequence LIMIT ${messagesMax}
    ), page AS MATERIALIZED (
      SELECT session_id, sequence, posted_at, content::json AS content FROM waiting
      WHERE bytes_before = 0 OR bytes_before + bytes <= ${bytesMax}
    ), indexed AS (
      INSERT INTO ${messageWords} (session_id, sequence, posted_at, decision, words)
      SELECT session_id, sequence, posted_at, coalesce(content ->> 'kind' = 'decision', false),
             to_tsvector('english', words_of(${selectMessageText(sql`content`)})) FROM page
    ), moved AS (
      UPDATE ${searchHeads} h SET last_sequence = p.last_sequence
      FROM (SELECT session_id, max(sequence) AS last_sequence FROM page GROUP BY session_id) p
      WHERE h.session_id = p.session_id
    )
    SELECT count(*)::int AS indexed FROM page`);
  return row?.indexed ?? 0;
}

export interface UnindexedDocument {
  readonly sessionId: string;
  readonly version: number;
  readonly content: string;
}

/**
 * Lists the documents of these sessions that are newer than their copies in the index. The caller must hold
 * the locks.
 */
export async function listUnindexedDocuments(
  tx: Transaction,
  sessionIds: readonly string[],
  limit: number,
): Promise<UnindexedDocument[]> {
  return tx
    .select({ sessionId: documents.sessionId, version: documents.version, content: documents.content })
    .from(documents)
    .innerJoin(searchHeads, eq(searchHeads.sessionId, documents.sessionId))
    .where(
      sql`${documents.sessionId} = ANY (${toArray(sessionIds)}::uuid[])
        AND ${documents.version} > ${searchHeads.documentVersion}`,
    )
    .limit(limit);
}

/** Replaces a document in the index with its new version. The caller must hold the session's lock. */
export async function indexDocument(
  tx: Transaction,
  { sessionId, version }: Pick<UnindexedDocument, "sessionId" | "version">,
  pieces: readonly string[],
): Promise<void> {
  await tx.delete(documentWords).where(eq(documentWords.sessionId, sessionId));
  await tx.execute(sql`
    INSERT INTO ${documentWords} (session_id, piece, version, content, words)
    SELECT ${sessionId}::uuid, piece, ${version}::int, content, to_tsvector('english', words_of(content))
    FROM json_array_elements_text(${JSON.stringify(pieces)}::text::json) WITH ORDINALITY AS p (content, piece)`);
  await tx.update(searchHeads).set({ documentVersion: version }).where(eq(searchHeads.sessionId, sessionId));
}

/** Formats ids as an array literal, because the driver does not load array types. UUIDs need no quotes. */
function toArray(ids: readonly string[]): string {
  return `{${ids.join(",")}}`;
}
