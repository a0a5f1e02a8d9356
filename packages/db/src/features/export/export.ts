import { and, asc, eq, gt, lte, sql } from "drizzle-orm";
import { documents, documentVersions, messages } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import { boundPage, messageColumns, type PageBounds, type StoredMessage } from "../../feed/messages.js";

/** The fields of a row that show that its content is the one that the record commits to. */
interface Salted {
  /** In hexadecimal; null once the content was removed. */
  readonly salt: string | null;
  /** In hexadecimal: the one that was kept, or else the one of the content as it is stored now; empty where neither is there. */
  readonly contentHash: string;
}

export type RecordedMessage = StoredMessage & Salted;

const messageHash = sql<string>`coalesce(encode(coalesce(${messages.contentHash},
  sha256(${messages.salt} || convert_to(${messages.content}, 'UTF8'))), 'hex'), '')`;

/** Reads a feed forward as the record has it, gaps and all: what is there after one sequence, up to another. */
export function readRecordedMessages(
  db: Queryable,
  sessionId: string,
  range: { readonly after: number; readonly upTo: number },
  bounds: PageBounds,
): Promise<RecordedMessage[]> {
  const wanted = and(
    eq(messages.sessionId, sessionId),
    gt(messages.sequence, range.after),
    lte(messages.sequence, range.upTo),
  );
  const { candidates, within } = boundPage(db, wanted, bounds);
  return db
    .with(candidates)
    .select({
      ...messageColumns,
      salt: sql<string | null>`encode(${messages.salt}, 'hex')`,
      contentHash: messageHash,
    })
    .from(messages)
    .where(and(wanted, within))
    .orderBy(asc(messages.sequence));
}

export interface RecordedVersionRow extends Salted {
  readonly version: number;
  readonly writtenByTeamId: string;
  readonly writtenBy: string;
  readonly writtenAt: Date;
  readonly afterSequence: number;
  /** Null once it was removed. */
  readonly content: string | null;
}

const versionHash = sql<string>`coalesce(encode(coalesce(${documentVersions.contentHash},
  sha256(${documentVersions.salt} || convert_to(${documentVersions.content}, 'UTF8'))), 'hex'), '')`;

/** Reads the versions of a document forward, contents and all: so few at a time. */
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

/** Whether a text was removed since a feed had so many messages. */
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

/** The whole conclusion of a session, in markdown; null while it is open. */
export async function findConclusion(db: Queryable, sessionId: string): Promise<string | null> {
  const [row] = await db
    .select({ conclusion: documents.conclusion })
    .from(documents)
    .where(eq(documents.sessionId, sessionId));
  return row?.conclusion ?? null;
}
