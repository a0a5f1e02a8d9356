import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import type postgres from "postgres";
import { findDatabaseErrorCode } from "../core/database-error.js";
import type { Queryable, Transaction } from "../core/transactions.js";
import { lockDocument } from "./documents.js";

/** A document whose version differs from the newest version in its history. */
export interface TornDocument {
  readonly sessionId: string;
  readonly slug: string;
  readonly version: number;
  /** Number of the newest version in the document's history. */
  readonly newest: number;
}

const documentsAtOnce = 10_000;

/** Lists the documents whose version is not the newest in their history. Excludes archived documents. */
export async function listTornDocuments(db: Queryable): Promise<TornDocument[]> {
  const torn: TornDocument[] = [];
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    // Checks a batch at a time, because each statement is limited to 5 s (DB-10).
    const rows = await db.execute<{ end: string | null; torn: TornDocument[] }>(sql`
      WITH part AS (
        SELECT session_id, version FROM documents WHERE session_id > ${after}::uuid
        ORDER BY session_id LIMIT ${documentsAtOnce}
      ), differing AS (
        SELECT part.session_id AS "sessionId", sessions.slug, part.version, coalesce(history.newest, 0) AS newest
        FROM part
        JOIN sessions USING (session_id)
        JOIN feeds ON feeds.session_id = part.session_id AND feeds.archived_at IS NULL
        CROSS JOIN LATERAL (SELECT max(v.version) AS newest FROM document_versions v WHERE v.session_id = part.session_id) history
        WHERE part.version <> coalesce(history.newest, 0)
      )
      SELECT (SELECT session_id FROM part ORDER BY session_id DESC LIMIT 1)::text AS "end",
             (SELECT coalesce(json_agg(differing), '[]') FROM differing) AS torn`);
    const [row] = rows;
    torn.push(...(row?.torn ?? []));
    if (!row?.end) return torn;
    after = row.end;
  }
}

/**
 * Lists the documents whose version is not the newest in their history, over a plain connection. If the
 * database is empty or not yet migrated, there are none.
 */
export async function listTornDocumentsAt(connection: postgres.Sql): Promise<TornDocument[]> {
  try {
    return await listTornDocuments(drizzle(connection) as unknown as Queryable);
  } catch (error) {
    // The table or column does not exist yet, so there are no such documents.
    if (["42P01", "42703"].includes(findDatabaseErrorCode(error) ?? "")) return [];
    throw error;
  }
}

/** Sets a document to the newest version in its history. */
export async function repairTornDocument(tx: Transaction, sessionId: string): Promise<void> {
  // Reads the newest version only after locking the document, because another caller may have written or
  // repaired it in the meantime.
  await lockDocument(tx, sessionId);
  await tx.execute(sql`
    UPDATE documents SET version = newest.version, content = coalesce(newest.content, ''), updated_at = newest.written_at
    FROM (SELECT version, content, written_at FROM document_versions WHERE session_id = ${sessionId}
          ORDER BY version DESC LIMIT 1) newest
    WHERE documents.session_id = ${sessionId} AND documents.version <> newest.version`);
}
