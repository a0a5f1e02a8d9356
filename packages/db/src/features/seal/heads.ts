import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { documents, feeds, heads, sessions } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

/** A signed head, as it is kept. */
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
  /** Whether a conclusion signed it. */
  readonly sealed: boolean;
  /** The three hashes of what is said around the logs, one after the other; empty in a head of format 1. */
  readonly about: Uint8Array;
}

/** How far a session's two logs reach, what their entries call it, and what is said of it. */
export interface RecordExtent {
  /** The session's own id, or that of its origin. */
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

/** Both logs as they are in one moment; null where there is no such session. */
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
 * Keeps a head, and returns the one that is kept over the same: of several that are made at once, one is given out. One that
 * is sealed stays so.
 */
export async function keepHead(db: Queryable | Transaction, head: HeadRow): Promise<HeadRow> {
  const [kept] = await db
    .insert(heads)
    .values(head)
    .onConflictDoUpdate({
      target: [heads.sessionId, heads.size, heads.documentVersion, heads.keyId, heads.about],
      set: { sealed: sql`${heads.sealed} OR excluded.sealed` },
    })
    .returning();
  if (!kept) throw new TypeError("The stored head was not returned.");
  return kept;
}

/**
 * The last head that was signed over just so much.
 *
 * @param keyIds - Of these keys, and of format 2; any head unless given.
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

/** A head over so much of one of the logs: of several one that a conclusion signed, else the one that reaches furthest. */
export async function findHeadOver(
  db: Queryable,
  sessionId: string,
  over: { readonly size: number } | { readonly documentVersion: number },
): Promise<HeadRow | null> {
  const wanted = "size" in over ? eq(heads.size, over.size) : eq(heads.documentVersion, over.documentVersion);
  const [row] = await db
    .select()
    .from(heads)
    .where(and(eq(heads.sessionId, sessionId), wanted))
    .orderBy(desc(heads.sealed), desc(heads.size), desc(heads.documentVersion), desc(heads.at))
    .limit(1);
  return row ?? null;
}

/** The last heads that conclusions signed, the newest first. */
export async function listSeals(db: Queryable, sessionId: string, most: number): Promise<HeadRow[]> {
  return db
    .select()
    .from(heads)
    .where(and(eq(heads.sessionId, sessionId), eq(heads.sealed, true)))
    .orderBy(desc(heads.size))
    .limit(most);
}

/** Every head that was given out for a session, the oldest first. */
export async function listHeads(db: Queryable, sessionId: string): Promise<HeadRow[]> {
  return db
    .select()
    .from(heads)
    .where(eq(heads.sessionId, sessionId))
    .orderBy(heads.size, heads.documentVersion, heads.at, heads.about);
}
