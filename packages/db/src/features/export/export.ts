import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import { documents, documentVersions, messages } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import { limitPage, messageColumns, type PageBounds, type StoredMessage } from "../../feed/messages.js";

/** Fields needed to prove that a row's content is the content that the record commits to. */
interface ContentProof {
  /** The salt, in hexadecimal. Null if the content was removed. */
  readonly salt: string | null;
  /**
   * The content's hash, in hexadecimal: the stored hash if there is one, otherwise the hash computed from the
   * current content. Empty if neither is available.
   */
  readonly contentHash: string;
}

export type RecordedMessage = StoredMessage & ContentProof;

const messageHash = sql<string>`coalesce(encode(coalesce(${messages.contentHash},
  sha256(${messages.salt} || convert_to(${messages.content}, 'UTF8'))), 'hex'), '')`;

/** Reads a range of a feed in order, exactly as recorded, including gaps. */
export function readRecordedMessages(
  db: Queryable,
  sessionId: string,
  range: { readonly after: number; readonly upTo: number },
  bounds: PageBounds,
): Promise<RecordedMessage[]> {
  const condition = and(
    eq(messages.sessionId, sessionId),
    gt(messages.sequence, range.after),
    lte(messages.sequence, range.upTo),
  );
  const { candidates, within } = limitPage(db, condition, bounds);
  return db
    .with(candidates)
    .select({
      ...messageColumns,
      salt: sql<string | null>`encode(${messages.salt}, 'hex')`,
      contentHash: messageHash,
    })
    .from(messages)
    .where(and(condition, within))
    .orderBy(asc(messages.sequence));
}

export interface RecordedVersionRow extends ContentProof {
  readonly version: number;
  readonly writtenByTeamId: string;
  readonly writtenBy: string;
  readonly writtenAt: Date;
  readonly afterSequence: number;
  /** The document's text at this version. Null if it was removed. */
  readonly content: string | null;
}

const versionHash = sql<string>`coalesce(encode(coalesce(${documentVersions.contentHash},
  sha256(${documentVersions.salt} || convert_to(${documentVersions.content}, 'UTF8'))), 'hex'), '')`;

/** Reads document versions in order, including their text, so `limit` should be small. */
export function readRecordedVersions(
  db: Queryable,
  sessionId: string,
  { after, upTo, limit }: { readonly after: number; readonly upTo: number; readonly limit: number },
): Promise<RecordedVersionRow[]> {
  return db
    .select({
      version: documentVersions.version,
      writtenByTeamId: documentVersions.writtenByTeamId,
      writtenBy: documentVersions.writtenBy,
      writtenAt: documentVersions.writtenAt,
      afterSequence: documentVersions.afterSequence,
      content: documentVersions.content,
      salt: sql<string | null>`encode(${documentVersions.salt}, 'hex')`,
      contentHash: versionHash,
    })
    .from(documentVersions)
    .where(
      and(
        eq(documentVersions.sessionId, sessionId),
        gt(documentVersions.version, after),
        lte(documentVersions.version, upTo),
      ),
    )
    .orderBy(asc(documentVersions.version))
    .limit(limit);
}

/** Returns true if a redaction event follows the feed's first `size` messages. */
export async function wasRedactedAfter(db: Queryable, sessionId: string, size: number): Promise<boolean> {
  const rows = await db
    .select({ sequence: messages.sequence })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sessionId),
        eq(messages.kind, "message_redacted"),
        gt(messages.sequence, size),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

/** Returns the complete conclusion of a session in markdown, or null while the session is open. */
export async function findConclusion(db: Queryable, sessionId: string): Promise<string | null> {
  const [row] = await db
    .select({ conclusion: documents.conclusion })
    .from(documents)
    .where(eq(documents.sessionId, sessionId));
  return row?.conclusion ?? null;
}
