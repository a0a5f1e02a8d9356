import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { documents, feeds, heads, sessions } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/** A stored head of a session's record, with its signature. */
export interface HeadRow {
  readonly sessionId: string;
  readonly size: number;
  readonly documentVersion: number;
  readonly epoch: string;
  readonly recordId: string;
  readonly root: Uint8Array;
  readonly documentHash: Uint8Array | null;
  readonly documentRoot: Uint8Array;
  readonly at: Date;
  readonly keyId: string;
  readonly signature: Uint8Array;
  /** True if the head was signed when the session was concluded. */
  readonly sealed: boolean;
  /** Three hashes of the metadata around the logs, concatenated. Empty for a head in format 1. */
  readonly about: Uint8Array;
}

/**
 * The sizes of a session's two logs, the record id that the logs' entries contain, and the session's
 * metadata.
 */
export interface RecordExtent {
  /** Id of the session. For an imported session, the id that it had originally. */
  readonly recordId: string;
  readonly imported: boolean;
  readonly size: number;
  readonly documentVersion: number;
  readonly closed: boolean;
  readonly archived: boolean;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly createdByTeamId: string;
  readonly createdAt: Date;
  readonly closedAt: Date | null;
}

/** Reads the sizes of both logs at the same moment. Returns null if the session does not exist. */
export async function readRecordExtent(db: Queryable, sessionId: string): Promise<RecordExtent | null> {
  const [row] = await db
    .select({
      recordId: sql<string>`coalesce(${sessions.originId}, ${sessions.sessionId})`,
      imported: sql<boolean>`${sessions.originId} IS NOT NULL`,
      size: feeds.lastSequence,
      documentVersion: documents.version,
      closed: sql<boolean>`${feeds.closedAt} IS NOT NULL`,
      archived: sql<boolean>`${feeds.archivedAt} IS NOT NULL`,
      slug: sessions.slug,
      title: sessions.title,
      description: sessions.description,
      createdByTeamId: sessions.createdByTeamId,
      createdAt: sessions.createdAt,
      closedAt: feeds.closedAt,
    })
    .from(sessions)
    .innerJoin(feeds, eq(feeds.sessionId, sessions.sessionId))
    .innerJoin(documents, eq(documents.sessionId, sessions.sessionId))
    .where(eq(sessions.sessionId, sessionId));
  return row ?? null;
}

/**
 * Stores a head and returns it. If an equal head is already stored, returns the stored one instead, so that
 * concurrent callers all get the same head. A sealed head stays sealed.
 */
export async function saveHead(db: Queryable | Transaction, head: HeadRow): Promise<HeadRow> {
  const [saved] = await db
    .insert(heads)
    .values(head)
    .onConflictDoUpdate({
      target: [heads.sessionId, heads.size, heads.documentVersion, heads.keyId, heads.about],
      set: { sealed: sql`${heads.sealed} OR excluded.sealed` },
    })
    .returning();
  if (!saved) throw new TypeError("The stored head was not returned.");
  return saved;
}

/**
 * Finds the latest head signed for exactly these log sizes.
 *
 * @param keyIds - restricts the result to heads of format 2 signed with these keys (default: any head)
 */
export async function findHead(
  db: Queryable,
  sessionId: string,
  { size, documentVersion }: { readonly size: number; readonly documentVersion: number },
  keyIds?: readonly string[],
): Promise<HeadRow | null> {
  const [row] = await db
    .select()
    .from(heads)
    .where(
      and(
        eq(heads.sessionId, sessionId),
        eq(heads.size, size),
        eq(heads.documentVersion, documentVersion),
        keyIds && and(inArray(heads.keyId, [...keyIds]), sql`${heads.about} <> ''`),
      ),
    )
    .orderBy(desc(heads.at))
    .limit(1);
  return row ?? null;
}

/**
 * Finds a head signed for exactly this size of one of the two logs. Prefers heads signed at a conclusion, and
 * among those the head that covers the most.
 */
export async function findHeadOver(
  db: Queryable,
  sessionId: string,
  over: { readonly size: number } | { readonly documentVersion: number },
): Promise<HeadRow | null> {
  const condition =
    "size" in over ? eq(heads.size, over.size) : eq(heads.documentVersion, over.documentVersion);
  const [row] = await db
    .select()
    .from(heads)
    .where(and(eq(heads.sessionId, sessionId), condition))
    .orderBy(desc(heads.sealed), desc(heads.size), desc(heads.documentVersion), desc(heads.at))
    .limit(1);
  return row ?? null;
}

/** Lists the latest heads that were signed at a conclusion, newest first. */
export async function listSeals(db: Queryable, sessionId: string, most: number): Promise<HeadRow[]> {
  return db
    .select()
    .from(heads)
    .where(and(eq(heads.sessionId, sessionId), eq(heads.sealed, true)))
    .orderBy(desc(heads.size))
    .limit(most);
}

/** Lists all heads issued for a session, oldest first. */
export async function listHeads(db: Queryable, sessionId: string): Promise<HeadRow[]> {
  return db
    .select()
    .from(heads)
    .where(eq(heads.sessionId, sessionId))
    .orderBy(heads.size, heads.documentVersion, heads.at, heads.about);
}
