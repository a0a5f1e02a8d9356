import { and, desc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { documents, feeds, messages, sessionSlugs, sessions, teams } from "../core/schema.js";
import type { Queryable, Transaction } from "../core/transactions.js";

/** A session, with a summary of its feed, document and roster. */
export interface SessionRow {
  readonly sessionId: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly createdByTeamId: string;
  readonly settings: unknown;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly metadataChangedAt: Date | null;
  readonly metadataChangedBy: string | null;
  readonly metadataChangeReason: string | null;
  readonly lastSequence: number;
  readonly lastPostedAt: Date | null;
  readonly lastSaidAt: Date | null;
  readonly lastSaidBy: string | null;
  /** The beginning of the last chat message, in markdown. Null if it is private or redacted. */
  readonly lastSaidText: string | null;
  readonly closedAt: Date | null;
  /** When the session's messages were moved to the archive. Null if they have not been. */
  readonly archivedAt: Date | null;
  /**
   * For an imported session: the original id (as contained in the record's entries), the original broker's
   * key, and the time of the import. Otherwise null.
   */
  readonly originId: string | null;
  readonly originKey: string | null;
  readonly importedAt: Date | null;
  readonly heldAt: Date | null;
  readonly heldBy: string | null;
  readonly holdReason: string | null;
  readonly messageBudget: number;
  /** Number of messages by agents, in total and at the time of the last message from a human. */
  readonly agentMessages: number;
  readonly agentMessagesAtHuman: number;
  readonly documentVersion: number;
  /** Bytes of messages and document versions that have been counted so far. */
  readonly bytes: number;
  /** The beginning of a closed session's conclusion, in markdown. */
  readonly conclusion: string | null;
  readonly teams: number;
}

const teamsPresent = sql<number>`(
  SELECT count(*)::int FROM ${teams} WHERE ${teams.sessionId} = ${sessions.sessionId} AND ${teams.leftAt} IS NULL)`;

/** Selects a session's last chat message by key. */
const ofLastSaid = sql`${messages.sessionId} = ${sessions.sessionId} AND ${messages.sequence} = ${feeds.lastChatSequence}`;

/**
 * Reads a session's last chat message with one lookup by key. The limit keeps the database from planning it as a join with
 * all messages. Only the text of a message is returned: private and redacted messages have none.
 */
function selectLastSaid(db: Queryable) {
  return db
    .select({
      at: messages.postedAt,
      by: messages.authorTeam,
      text: sql<string | null>`left(${messages.content}::json ->> 'text', 1000)`.as("text"),
    })
    .from(messages)
    .where(ofLastSaid)
    .limit(1)
    .as("last_said");
}

/** The beginning of a conclusion, long enough to include the first line of text below a few headings. */
const conclusionBegins = sql<string | null>`
  CASE WHEN ${feeds.closedAt} IS NOT NULL THEN left(${documents.conclusion}, 2000) END`;

const sessionColumns = (lastSaid: ReturnType<typeof selectLastSaid>) => ({
  lastSaidAt: lastSaid.at,
  lastSaidBy: lastSaid.by,
  lastSaidText: lastSaid.text,
  sessionId: sessions.sessionId,
  slug: sessions.slug,
  title: sessions.title,
  description: sessions.description,
  createdByTeamId: sessions.createdByTeamId,
  settings: sessions.settings,
  createdAt: sessions.createdAt,
  updatedAt: sessions.updatedAt,
  metadataChangedAt: sessions.metadataChangedAt,
  metadataChangedBy: sessions.metadataChangedBy,
  metadataChangeReason: sessions.metadataChangeReason,
  lastSequence: feeds.lastSequence,
  lastPostedAt: feeds.lastPostedAt,
  closedAt: feeds.closedAt,
  archivedAt: feeds.archivedAt,
  originId: sessions.originId,
  originKey: sessions.originKey,
  importedAt: sessions.importedAt,
  heldAt: feeds.heldAt,
  heldBy: sessions.heldBy,
  holdReason: sessions.holdReason,
  messageBudget: feeds.messageBudget,
  agentMessages: feeds.agentMessages,
  agentMessagesAtHuman: feeds.agentMessagesAtHuman,
  documentVersion: documents.version,
  bytes: sessions.bytes,
  conclusion: conclusionBegins,
  teams: teamsPresent,
});

/** Returns the id of the session that has this slug. Old slugs still find their session. */
export async function findSessionBySlug(db: Queryable, meshId: string, slug: string): Promise<string | null> {
  const [row] = await db
    .select({ sessionId: sessionSlugs.sessionId })
    .from(sessionSlugs)
    .where(and(eq(sessionSlugs.meshId, meshId), eq(sessionSlugs.slug, slug)));
  return row?.sessionId ?? null;
}

/** Lists the slugs of the most recently created sessions. */
export async function listNewestSlugs(db: Queryable, meshId: string, limit: number): Promise<string[]> {
  const rows = await db
    .select({ slug: sessions.slug })
    .from(sessions)
    .where(eq(sessions.meshId, meshId))
    .orderBy(desc(sessions.createdAt))
    .limit(limit);
  return rows.map(({ slug }) => slug);
}

export async function findSession(
  db: Queryable,
  meshId: string,
  sessionId: string,
): Promise<SessionRow | null> {
  const lastSaid = selectLastSaid(db);
  const [row] = await db
    .select(sessionColumns(lastSaid))
    .from(sessions)
    .innerJoin(feeds, eq(feeds.sessionId, sessions.sessionId))
    .innerJoin(documents, eq(documents.sessionId, sessions.sessionId))
    .leftJoinLateral(lastSaid, sql`true`)
    .where(and(eq(sessions.sessionId, sessionId), eq(sessions.meshId, meshId)));
  return row ?? null;
}

export type SessionSort = "activity" | "said" | "created" | "title" | "size";

/**
 * A row's position in a sort order: the value that it is sorted by, and the session's id as a tie-breaker.
 */
export interface SessionPosition {
  /** The value that the row is sorted by: a time as ISO text, a title, or a number of bytes. */
  readonly key: string;
  readonly sessionId: string;
}

export interface SessionFilter {
  /** Only sessions with this text in the title, description or slug. `%` and `_` have no special meaning. */
  readonly query?: string | undefined;
  readonly isClosed?: boolean | undefined;
  /** Only sessions with a current or former team of this name, ignoring case. */
  readonly team?: string | undefined;
  readonly sessionIds?: readonly string[] | undefined;
  readonly sort: SessionSort;
  /** Position of the last row on the previous page. */
  readonly before?: SessionPosition | undefined;
  readonly limit: number;
}

/**
 * The sort orders. Titles are ascending, all other orders start with the newest or largest. A session without
 * messages is sorted by its creation time.
 */
const orders: Readonly<
  Record<SessionSort, { readonly key: SQL; readonly type: SQL; readonly isAscending: boolean }>
> = {
  activity: {
    key: sql`coalesce(${feeds.lastPostedAt}, ${sessions.createdAt})`,
    type: sql`timestamptz`,
    isAscending: false,
  },
  said: {
    key: sql`coalesce((SELECT ${messages.postedAt} FROM ${messages} WHERE ${ofLastSaid}), ${sessions.createdAt})`,
    type: sql`timestamptz`,
    isAscending: false,
  },
  created: { key: sql`${sessions.createdAt}`, type: sql`timestamptz`, isAscending: false },
  size: { key: sql`${sessions.bytes}`, type: sql`bigint`, isAscending: false },
  title: { key: sql`lower(${sessions.title})`, type: sql`text`, isAscending: true },
};

/** Returns a row's position in a sort order, from which the next page continues. */
export function toSessionPosition(row: SessionRow, sort: SessionSort): SessionPosition {
  const keys: Record<SessionSort, () => string> = {
    activity: () => (row.lastPostedAt ?? row.createdAt).toISOString(),
    said: () => (row.lastSaidAt ?? row.createdAt).toISOString(),
    created: () => row.createdAt.toISOString(),
    title: () => row.title,
    size: () => String(row.bytes),
  };
  return { key: keys[sort](), sessionId: row.sessionId };
}

/** Lists one page of sessions in a sort order. Reads the details of those sessions only. */
export async function listSessionRows(
  db: Queryable,
  meshId: string,
  filter: SessionFilter,
): Promise<SessionRow[]> {
  const { key, type, isAscending } = orders[filter.sort];
  const conditions: (SQL | undefined)[] = [eq(sessions.meshId, meshId)];
  if (filter.isClosed !== undefined)
    conditions.push(sql`(${feeds.closedAt} IS NOT NULL) = ${filter.isClosed}`);
  if (filter.query) {
    const pattern = `%${filter.query.replace(/[\\%_]/g, "\\$&")}%`;
    conditions.push(
      sql`concat_ws(' ', ${sessions.title}, ${sessions.description}, ${sessions.slug}) ILIKE ${pattern}`,
    );
  }
  if (filter.team !== undefined) {
    conditions.push(sql`EXISTS (SELECT FROM ${teams}
      WHERE ${teams.sessionId} = ${sessions.sessionId} AND lower(${teams.name}) = lower(${filter.team}))`);
  }
  if (filter.sessionIds) conditions.push(inArray(sessions.sessionId, [...filter.sessionIds]));
  if (filter.before) {
    const { key: last, sessionId } = filter.before;
    const isBeyond = isAscending ? sql`>` : sql`<`;
    const lastKey = isAscending ? sql`lower(${last})` : sql`${last}::${type}`;
    conditions.push(sql`(${key}, ${sessions.sessionId}) ${isBeyond} (${lastKey}, ${sessionId}::uuid)`);
  }
  const along = isAscending ? sql`ASC` : sql`DESC`;
  const chosen = db.$with("chosen").as(
    db
      .select({ id: sql<string>`${sessions.sessionId}`.as("id"), key: key.as("key") })
      .from(sessions)
      .innerJoin(feeds, eq(feeds.sessionId, sessions.sessionId))
      .where(and(...conditions))
      .orderBy(sql`${key} ${along}`, sql`${sessions.sessionId} ${along}`)
      .limit(filter.limit),
  );
  const lastSaid = selectLastSaid(db);
  return db
    .with(chosen)
    .select(sessionColumns(lastSaid))
    .from(chosen)
    .innerJoin(sessions, eq(sessions.sessionId, chosen.id))
    .innerJoin(feeds, eq(feeds.sessionId, chosen.id))
    .innerJoin(documents, eq(documents.sessionId, chosen.id))
    .leftJoinLateral(lastSaid, sql`true`)
    .orderBy(sql`${chosen.key} ${along}`, sql`${chosen.id} ${along}`);
}

/** Counts the open and the closed sessions of a mesh. */
export async function countSessions(
  db: Queryable,
  meshId: string,
): Promise<{ active: number; closed: number }> {
  const [row] = await db
    .select({
      active: sql<number>`count(*) FILTER (WHERE ${feeds.closedAt} IS NULL)`.mapWith(Number),
      closed: sql<number>`count(*) FILTER (WHERE ${feeds.closedAt} IS NOT NULL)`.mapWith(Number),
    })
    .from(sessions)
    .innerJoin(feeds, eq(feeds.sessionId, sessions.sessionId))
    .where(eq(sessions.meshId, meshId));
  return row ?? { active: 0, closed: 0 };
}

export interface NewSession {
  readonly sessionId: string;
  readonly meshId: string;
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly createdByTeamId: string;
  readonly settings: unknown;
  /**
   * Maximum number of agents' messages between messages from humans. It is the only setting that is checked
   * while messages are numbered.
   */
  readonly messageBudget: number;
  readonly at: Date;
}

/** Inserts a session, with an empty feed and an empty document. */
export async function insertSession(
  tx: Transaction,
  { at, messageBudget, ...session }: NewSession,
): Promise<void> {
  await tx.insert(sessions).values({ ...session, createdAt: at, updatedAt: at });
  await tx.insert(feeds).values({ sessionId: session.sessionId, messageBudget });
  await tx.insert(documents).values({ sessionId: session.sessionId, updatedAt: at });
}

/**
 * Claims a slug for a session. Returns false if the slug is already used in the mesh. If two callers race,
 * exactly one succeeds.
 */
export async function claimSlug(
  tx: Transaction,
  meshId: string,
  slug: string,
  sessionId: string,
): Promise<boolean> {
  const claimed = await tx
    .insert(sessionSlugs)
    .values({ meshId, slug, sessionId })
    .onConflictDoNothing()
    .returning({ slug: sessionSlugs.slug });
  return claimed.length === 1;
}

/** Lists the slugs in a mesh that are `base`, or `base-` and a number. */
export async function listSlugsLike(tx: Transaction, meshId: string, base: string): Promise<Set<string>> {
  const rows = await tx
    .select({ slug: sessionSlugs.slug })
    .from(sessionSlugs)
    .where(and(eq(sessionSlugs.meshId, meshId), sql`${sessionSlugs.slug} ~ ${`^${base}(-[0-9]+)?$`}`));
  return new Set(rows.map((row) => row.slug));
}

/** Locks a session's row until the transaction ends, so that changes happen one after another. */
export async function lockSession(tx: Transaction, sessionId: string): Promise<void> {
  await tx.execute(sql`SELECT FROM ${sessions} WHERE ${sessions.sessionId} = ${sessionId} FOR NO KEY UPDATE`);
}

export async function updateSessionRow(
  tx: Transaction,
  sessionId: string,
  change: Partial<{
    title: string;
    description: string;
    settings: unknown;
    updatedAt: Date;
    metadataChangedAt: Date;
    metadataChangedBy: string;
    metadataChangeReason: string;
  }>,
): Promise<void> {
  await tx.update(sessions).set(change).where(eq(sessions.sessionId, sessionId));
}

/** Closes a feed, so that no one can post in it. Returns the time when the feed was first closed. */
export async function closeFeed(tx: Transaction, sessionId: string, at: Date): Promise<Date> {
  const [row] = await tx
    .update(feeds)
    .set({ closedAt: sql`coalesce(${feeds.closedAt}, ${at.toISOString()}::timestamptz)` })
    .where(eq(feeds.sessionId, sessionId))
    .returning({ closedAt: feeds.closedAt });
  return row?.closedAt ?? at;
}

export interface FeedHead {
  readonly sessionId: string;
  readonly lastSequence: number;
  readonly closedAt: Date | null;
  readonly archivedAt: Date | null;
  readonly documentVersion: number;
}

/** Reads the heads of several feeds in one query. */
export async function readFeedHeads(db: Queryable, sessionIds: readonly string[]): Promise<FeedHead[]> {
  if (sessionIds.length === 0) return [];
  return db
    .select({
      sessionId: feeds.sessionId,
      lastSequence: feeds.lastSequence,
      closedAt: feeds.closedAt,
      archivedAt: feeds.archivedAt,
      documentVersion: documents.version,
    })
    .from(feeds)
    .innerJoin(documents, eq(documents.sessionId, feeds.sessionId))
    .where(inArray(feeds.sessionId, [...sessionIds]));
}
