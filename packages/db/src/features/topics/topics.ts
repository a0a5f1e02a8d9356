import {
  and,
  asc,
  between,
  count,
  desc,
  eq,
  getTableColumns,
  gt,
  isNotNull,
  isNull,
  lt,
  ne,
  type SQL,
  sql,
} from "drizzle-orm";
import { documents, meshes, topicMessages, topics } from "../../core/schema.js";
import { type SourceColumns, toSourceName } from "../../core/source-columns.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

export type TopicRow = typeof topics.$inferSelect;

const { words: _words, ...messageColumns } = getTableColumns(topicMessages);

export type TopicMessageRow = Omit<typeof topicMessages.$inferSelect, "words">;

/** Identifies a topic by its number within its mesh. */
export interface TopicKey {
  readonly meshId: string;
  readonly number: number;
}

/** Returns the source that a topic is about. */
export function toSourceColumns({ sessionId, root, path }: TopicRow): SourceColumns {
  if (root !== null && path !== null) return { sessionId, root, path };
  if (sessionId === null) throw new TypeError("A topic must be about a document or a file.");
  return { sessionId, root: null, path: null };
}

/** Identifies a version of a source's text: a version number for a document, a hash for a file. */
export type TextPoint =
  | { readonly version: number; readonly hash: null }
  | { readonly version: null; readonly hash: string };

export interface NewTopic {
  readonly meshId: string;
  readonly source: SourceColumns;
  readonly title: string;
  readonly openedBy: string;
  readonly madeAt: TextPoint;
  /** The passage that the topic is about. Null if the topic is about the whole text. */
  readonly anchor: {
    readonly quote: string;
    readonly prefix: string;
    readonly suffix: string;
    readonly start: number;
    readonly end: number;
  } | null;
}

/**
 * Inserts an open topic under the mesh's next number. Other callers wait for their numbers until the
 * transaction ends.
 */
export async function insertTopic(tx: Transaction, topic: NewTopic): Promise<TopicRow> {
  const { meshId, source, anchor, madeAt } = topic;
  const [counter] = await tx
    .update(meshes)
    .set({ lastTopic: sql`${meshes.lastTopic} + 1` })
    .where(eq(meshes.meshId, meshId))
    .returning({ number: meshes.lastTopic });
  if (!counter) throw new TypeError("The mesh of the topic was not found.");
  const [row] = await tx
    .insert(topics)
    .values({
      meshId,
      number: counter.number,
      ...source,
      title: topic.title,
      openedBy: topic.openedBy,
      openedAt: sql`now()`,
      madeAtVersion: madeAt.version,
      madeAtHash: madeAt.hash,
      ...(anchor && {
        quote: anchor.quote,
        prefix: anchor.prefix,
        suffix: anchor.suffix,
        startAt: anchor.start,
        endAt: anchor.end,
        placeAtVersion: madeAt.version,
        placeAtHash: madeAt.hash,
        foundAtVersion: madeAt.version,
        foundAtHash: madeAt.hash,
        found: "exact",
      }),
    })
    .returning();
  if (!row) throw new TypeError("A topic was not stored.");
  return row;
}

/** Prevents others from opening topics in the mesh until the transaction ends. */
export async function lockTopicCounter(tx: Transaction, meshId: string): Promise<void> {
  await tx
    .select({ number: meshes.lastTopic })
    .from(meshes)
    .where(eq(meshes.meshId, meshId))
    .for("no key update");
}

export async function countOpenTopics(db: Queryable, meshId: string, source: SourceColumns): Promise<number> {
  const [row] = await db
    .select({ open: count() })
    .from(topics)
    .where(and(isOfSource(meshId, source), eq(topics.status, "open")));
  return row?.open ?? 0;
}

export async function findTopic(db: Queryable, { meshId, number }: TopicKey): Promise<TopicRow | null> {
  const [row] = await db.select().from(topics).where(isTopic({ meshId, number }));
  return row ?? null;
}

/**
 * Locks a topic until the transaction ends, so that replies, decisions and closing happen one after another.
 */
export async function lockTopic(tx: Transaction, key: TopicKey): Promise<TopicRow | null> {
  const [row] = await tx.select().from(topics).where(isTopic(key)).for("no key update");
  return row ?? null;
}

/** Lists a source's topics, newest first. */
export async function listTopicRows(
  db: Queryable,
  meshId: string,
  source: SourceColumns,
  page: {
    readonly status: TopicRow["status"] | undefined;
    readonly before: number | undefined;
    readonly limit: number;
  },
): Promise<TopicRow[]> {
  return db
    .select()
    .from(topics)
    .where(
      and(
        isOfSource(meshId, source),
        page.status === undefined ? undefined : eq(topics.status, page.status),
        page.before === undefined ? undefined : lt(topics.number, page.before),
      ),
    )
    .orderBy(desc(topics.number))
    .limit(page.limit);
}

export interface NewTopicMessage {
  readonly author: string;
  readonly authorHuman: boolean;
  readonly teamId: string | null;
  readonly personId: string | null;
  readonly text: string;
  /** Number of the job in which an agent wrote the message. Unset for other messages. */
  readonly job?: number | null | undefined;
  /** Number of the proposal that the message is about, if any. */
  readonly proposal?: number | null | undefined;
}

/** Adds a message under the topic's next sequence and returns the updated topic. */
export async function insertTopicMessage(
  tx: Transaction,
  key: TopicKey,
  message: NewTopicMessage,
): Promise<TopicRow> {
  const [topic] = await tx
    .update(topics)
    .set({ lastSequence: sql`${topics.lastSequence} + 1` })
    .where(isTopic(key))
    .returning();
  if (!topic) throw new TypeError("The topic of the message was not found.");
  await tx.insert(topicMessages).values({
    meshId: key.meshId,
    topic: key.number,
    sequence: topic.lastSequence,
    ...message,
    at: sql`now()`,
  });
  return topic;
}

/** Lists a topic's messages after a given sequence, in order. */
export async function listTopicMessages(
  db: Queryable,
  { meshId, number }: TopicKey,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<TopicMessageRow[]> {
  return db
    .select(messageColumns)
    .from(topicMessages)
    .where(
      and(
        eq(topicMessages.meshId, meshId),
        eq(topicMessages.topic, number),
        gt(topicMessages.sequence, after),
      ),
    )
    .orderBy(asc(topicMessages.sequence))
    .limit(limit);
}

/** Closes an open topic. Returns null if the topic is already closed. */
export async function closeTopicRow(
  tx: Transaction,
  key: TopicKey,
  { by, reason }: { readonly by: string; readonly reason: NonNullable<TopicRow["closeReason"]> },
): Promise<TopicRow | null> {
  const [row] = await tx
    .update(topics)
    .set({ status: "closed", closedBy: by, closedAt: sql`now()`, closeReason: reason })
    .where(and(isTopic(key), eq(topics.status, "open")))
    .returning();
  return row ?? null;
}

/**
 * Reopens a closed topic, and clears the fields that say who closed it, when and why. Returns null if the
 * topic is open.
 */
export async function reopenTopicRow(tx: Transaction, key: TopicKey): Promise<TopicRow | null> {
  const [row] = await tx
    .update(topics)
    .set({ status: "open", closedBy: null, closedAt: null, closeReason: null })
    .where(and(isTopic(key), eq(topics.status, "closed")))
    .returning();
  return row ?? null;
}

/** A topic with an anchor. Contains the fields needed to locate the anchor in a new version of the text. */
export type AnchoredTopic = TopicRow & {
  readonly quote: string;
  readonly startAt: number;
  readonly endAt: number;
};

/** Lists a source's open topics whose anchors have not been located in the current text yet. */
export async function listTopicsToReanchor(
  db: Queryable,
  meshId: string,
  source: SourceColumns,
  { version, hash }: TextPoint,
): Promise<AnchoredTopic[]> {
  const isOther = version === null ? ne(topics.foundAtHash, hash) : lt(topics.foundAtVersion, version);
  const rows = await db
    .select()
    .from(topics)
    .where(and(isOfSource(meshId, source), eq(topics.status, "open"), isNotNull(topics.quote), isOther))
    .orderBy(asc(topics.number));
  return rows.flatMap((row) => {
    const { quote, startAt, endAt } = row;
    return quote === null || startAt === null || endAt === null ? [] : [{ ...row, quote, startAt, endAt }];
  });
}

/** The result of locating a topic's anchor. */
export type AnchorLocation =
  | { readonly found: "exact" | "moved" | "reworded"; readonly start: number; readonly end: number }
  | { readonly found: "lost" };

/**
 * Stores the location of a topic's anchor in a version of the text. Returns false if another caller has
 * already stored a location in this version or a newer one.
 */
export async function saveTopicAnchor(
  tx: Queryable,
  topic: Pick<TopicRow, "meshId" | "number" | "foundAtVersion" | "foundAtHash">,
  at: TextPoint,
  place: AnchorLocation,
): Promise<boolean> {
  const isOlder =
    at.version === null
      ? sql`${topics.foundAtHash} = ${topic.foundAtHash}`
      : lt(topics.foundAtVersion, at.version);
  const rows = await tx
    .update(topics)
    .set({
      found: place.found,
      foundAtVersion: at.version,
      foundAtHash: at.hash,
      ...(place.found !== "lost" && {
        placeAtVersion: at.version,
        placeAtHash: at.hash,
        startAt: place.start,
        endAt: place.end,
      }),
    })
    .where(and(isTopic(topic), isOlder))
    .returning({ number: topics.number });
  return rows.length === 1;
}

function isTopic({ meshId, number }: TopicKey): SQL | undefined {
  return and(eq(topics.meshId, meshId), eq(topics.number, number));
}

function isOfSource(meshId: string, source: SourceColumns): SQL | undefined {
  return and(eq(topics.meshId, meshId), eq(topics.source, toSourceName(source)));
}

/** Lists documents that have changed since the anchors of their open topics were last located. */
export async function listDocumentsToReanchor(
  db: Queryable,
): Promise<{ readonly meshId: string; readonly sessionId: string }[]> {
  const rows = await db
    .selectDistinct({ meshId: topics.meshId, sessionId: topics.sessionId })
    .from(topics)
    .innerJoin(documents, eq(documents.sessionId, topics.sessionId))
    .where(
      and(
        isNull(topics.path),
        eq(topics.status, "open"),
        isNotNull(topics.quote),
        lt(topics.foundAtVersion, documents.version),
      ),
    );
  return rows.flatMap(({ meshId, sessionId }) => (sessionId === null ? [] : [{ meshId, sessionId }]));
}

/** The text that replaces a quote from a document version whose text was removed. */
const removedQuote = "(removed)";

/** Removes from topics any quotes that come from redacted document versions. */
export async function redactQuotes(
  tx: Transaction,
  { meshId, sessionId }: { readonly meshId: string; readonly sessionId: string },
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await tx
    .update(topics)
    .set({ quote: removedQuote, prefix: "", suffix: "" })
    .where(
      and(
        isOfSource(meshId, { sessionId, root: null, path: null }),
        isNotNull(topics.quote),
        between(topics.madeAtVersion, from, to),
      ),
    );
}
