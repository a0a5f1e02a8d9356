import { and, desc, eq, lt, lte, sql } from "drizzle-orm";
import { documents, documentVersions, feeds } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

export interface DocumentRow {
  readonly version: number;
  readonly content: string;
  readonly conclusion: string | null;
  readonly updatedAt: Date;
}

const columns = {
  version: documents.version,
  content: documents.content,
  conclusion: documents.conclusion,
  updatedAt: documents.updatedAt,
};

export async function readDocument(db: Queryable, sessionId: string): Promise<DocumentRow | null> {
  const [row] = await db.select(columns).from(documents).where(eq(documents.sessionId, sessionId));
  return row ?? null;
}

export interface LockedDocument extends DocumentRow {
  readonly closedAt: Date | null;
  readonly lastSequence: number;
}

/**
 * Locks a document until the transaction ends. Returns the current state of the document and its feed. Reads
 * the state in a second statement, which sees everything committed while the first one waited for the lock,
 * including a conclusion.
 */
export async function lockDocument(tx: Transaction, sessionId: string): Promise<LockedDocument | null> {
  await tx.execute(
    sql`SELECT FROM ${documents} WHERE ${documents.sessionId} = ${sessionId} FOR NO KEY UPDATE`,
  );
  const [row] = await tx
    .select({ ...columns, closedAt: feeds.closedAt, lastSequence: feeds.lastSequence })
    .from(documents)
    .innerJoin(feeds, eq(feeds.sessionId, documents.sessionId))
    .where(eq(documents.sessionId, sessionId));
  return row ?? null;
}

export interface NewVersion {
  readonly sessionId: string;
  readonly version: number;
  readonly content: string;
  readonly conclusion: string | null;
  readonly writtenByTeamId: string;
  readonly writtenBy: string;
  readonly at: Date;
  readonly afterSequence: number;
}

/**
 * Stores the document's new version and its history entry in one statement, so neither can exist without the
 * other. The caller must have locked the document.
 */
export async function saveDocumentVersion(tx: Transaction, written: NewVersion): Promise<void> {
  const { sessionId, version, content, conclusion, writtenByTeamId, writtenBy, afterSequence } = written;
  const at = written.at.toISOString();
  await tx.execute(sql`
    WITH newest AS (
      UPDATE documents SET version = ${version}, content = ${content}, conclusion = ${conclusion}, updated_at = ${at}
      WHERE session_id = ${sessionId}
      RETURNING session_id, version, content, updated_at
    )
    INSERT INTO document_versions (session_id, version, content, written_at, written_by_team_id, written_by, after_sequence)
    SELECT session_id, version, content, updated_at, ${writtenByTeamId}::uuid, ${writtenBy}, ${afterSequence}::bigint
    FROM newest`);
}

/**
 * Reads an old version of a document. Its content is null if it was redacted. Version 0, the empty document,
 * is not stored.
 */
export async function findDocumentVersion(
  db: Queryable,
  sessionId: string,
  version: number,
): Promise<{ content: string | null; writtenAt: Date } | null> {
  const [row] = await db
    .select({ content: documentVersions.content, writtenAt: documentVersions.writtenAt })
    .from(documentVersions)
    .where(and(eq(documentVersions.sessionId, sessionId), eq(documentVersions.version, version)));
  return row ?? null;
}

/** Returns the number of the document version that was current at `at`, or 0 if there was none yet. */
export async function findDocumentVersionAt(db: Queryable, sessionId: string, at: Date): Promise<number> {
  const [row] = await db
    .select({ version: documentVersions.version })
    .from(documentVersions)
    .where(and(eq(documentVersions.sessionId, sessionId), lte(documentVersions.writtenAt, at)))
    .orderBy(desc(documentVersions.version))
    .limit(1);
  return row?.version ?? 0;
}

export interface DocumentVersionRow {
  readonly version: number;
  readonly writtenByTeamId: string;
  readonly writtenBy: string;
  readonly writtenAt: Date;
  readonly bytes: number;
  readonly afterSequence: number;
  readonly redacted: boolean;
}

export interface DocumentVersionPage {
  /** Only versions older than this one. */
  readonly before: number | undefined;
  /** Only versions that this team wrote. */
  readonly teamId: string | undefined;
  readonly limit: number;
}

/** Lists a document's versions without their text, newest first. */
export async function listDocumentVersions(
  db: Queryable,
  sessionId: string,
  { before, teamId, limit }: DocumentVersionPage,
): Promise<DocumentVersionRow[]> {
  return db
    .select({
      version: documentVersions.version,
      writtenByTeamId: documentVersions.writtenByTeamId,
      writtenBy: documentVersions.writtenBy,
      writtenAt: documentVersions.writtenAt,
      bytes: sql<number>`coalesce(octet_length(${documentVersions.content}), 0)`,
      afterSequence: documentVersions.afterSequence,
      redacted: sql<boolean>`${documentVersions.content} IS NULL`,
    })
    .from(documentVersions)
    .where(
      and(
        eq(documentVersions.sessionId, sessionId),
        before === undefined ? undefined : lt(documentVersions.version, before),
        teamId === undefined ? undefined : eq(documentVersions.writtenByTeamId, teamId),
      ),
    )
    .orderBy(desc(documentVersions.version))
    .limit(limit);
}
