import { type MessageFields, messageFieldNames } from "@merkle/wire";
import { and, asc, count, eq, getTableColumns, gt, lte, or, type SQL, sql } from "drizzle-orm";
import { messages } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/** A stored message, without the salt and hash that prove its content. */
export interface StoredMessage extends Omit<MessageFields, ProofName | "posted_at"> {
  readonly posted_at: Date;
  /** The event that reports the message's redaction. Null if the message was not redacted. */
  readonly redaction: RedactionEventRow | null;
}

type ProofName = "salt" | "content_hash";

/** The event that reports a redaction. `sequence` is null if there is no such event. */
export interface RedactionEventRow {
  readonly sequence: number | null;
  /** The event's content as stored, in JSON. */
  readonly content: string;
}

const columnsByName = new Map(
  Object.values(getTableColumns(messages)).map((column) => [column.name, column]),
);
const storedNames = messageFieldNames.filter((name) => name !== "salt" && name !== "content_hash");

export const messageColumns = {
  // Each field's column, under its name in the database and with the field's type.
  ...(Object.fromEntries(storedNames.map((name) => [name, columnsByName.get(name)])) as unknown as {
    [Name in Exclude<keyof StoredMessage, "redaction">]: SQL<StoredMessage[Name]>;
  }),
  // Looks up the redaction event only for messages without a salt, by index. Such a message was redacted, or
  // it is a private message in an imported session.
  redaction: sql<RedactionEventRow | null>`CASE WHEN messages.salt IS NULL AND messages.content LIKE '%"redacted":true}' THEN coalesce((
    SELECT json_build_object('sequence', e.sequence, 'content', e.content) FROM messages e
    WHERE e.session_id = messages.session_id AND e.reply_to = messages.sequence AND e.kind = 'message_redacted'
    ORDER BY e.sequence LIMIT 1), '{"sequence":null,"content":"{}"}') END`,
};

/** Maximum number and size of the messages that one read returns. At least one message is always returned. */
export interface PageBounds {
  readonly messagesMax: number;
  readonly bytesMax: number;
}

/** Reads the messages after a given sequence, in order. */
export function readMessagesAfter(
  db: Queryable,
  sessionId: string,
  after: number,
  bounds: PageBounds,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<StoredMessage[]> {
  const condition = and(
    eq(messages.sessionId, sessionId),
    gt(messages.sequence, after),
    lte(messages.sequence, upTo),
  );
  return readPage(db, condition, bounds);
}

/**
 * A peer that reads its inbox. The inbox contains messages from others that are addressed to the peer, and
 * with `own` also the peer's own messages.
 */
export interface Addressee {
  readonly peerId: string;
  readonly includesOwn: boolean;
}

/** A page of a feed that contains only one peer's messages. */
export interface InboxPage {
  readonly messages: readonly StoredMessage[];
  /** The sequence up to which the page contains every message for the peer. */
  readonly upTo: number;
}

/** Maximum number of messages that one read scans for messages to a peer. The limit keeps reads fast. */
const scanMax = 10_000;

/**
 * Reads the messages for a peer, in order. Messages for others are skipped and do not count towards the page.
 * A page is empty only if the scanned range contains no messages for the peer.
 */
export async function readInbox(
  db: Queryable,
  sessionId: string,
  addressee: Addressee,
  range: { readonly after: number; readonly upTo: number },
  bounds: PageBounds,
): Promise<InboxPage> {
  const upTo = Math.min(range.upTo, range.after + scanMax);
  const condition = and(
    eq(messages.sessionId, sessionId),
    gt(messages.sequence, range.after),
    lte(messages.sequence, upTo),
    isAddressedTo(addressee),
  );
  const page = await readPage(db, condition, bounds);
  return { messages: page, upTo: page.at(-1)?.sequence ?? upTo };
}

/** Maximum count. For a peer that is far behind, the messages are counted again for each page. */
const countedMax = 10_000;

/** Counts the messages for a peer within a range, up to 10,000. */
export async function countInbox(
  db: Queryable,
  sessionId: string,
  addressee: Addressee,
  range: { readonly after: number; readonly upTo: number },
): Promise<number> {
  const counted = db
    .select({ sequence: messages.sequence })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sessionId),
        gt(messages.sequence, range.after),
        lte(messages.sequence, range.upTo),
        isAddressedTo(addressee),
      ),
    )
    .limit(countedMax)
    .as("counted");
  const [row] = await db.select({ messages: count() }).from(counted);
  return row?.messages ?? 0;
}

/**
 * Returns the condition that a message is for a peer. The broker's delivery checks the same condition, in a
 * function of the same name, for messages in memory.
 */
function isAddressedTo({ peerId, includesOwn }: Addressee): SQL | undefined {
  const isAddressed = sql`(${messages.reaches} IS NULL OR ${peerId}::uuid = ANY (${messages.reaches}))`;
  const isOfOthers = sql`${messages.postedByPeerId} IS DISTINCT FROM ${peerId}::uuid`;
  const forPeer = and(isAddressed, isOfOthers);
  return includesOwn ? or(forPeer, eq(messages.postedByPeerId, peerId)) : forPeer;
}

async function readPage(
  db: Queryable,
  condition: SQL | undefined,
  bounds: PageBounds,
): Promise<StoredMessage[]> {
  const { candidates, within } = limitPage(db, condition, bounds);
  return db
    .with(candidates)
    .select(messageColumns)
    .from(messages)
    .where(and(condition, within))
    .orderBy(asc(messages.sequence));
}

/**
 * Returns a condition that limits matching messages to the first page. The running total uses only sizes,
 * which are available without decompressing the texts, so only messages that fit are read. A page is
 * contiguous, so its last sequence is sufficient as a bound. PostgreSQL computes this single value once, even
 * if the table was never analysed. A set of sequences would be computed again for each message.
 */
export function limitPage(db: Queryable, condition: SQL | undefined, { messagesMax, bytesMax }: PageBounds) {
  const order = asc(messages.sequence);
  const candidates = db.$with("candidates").as(
    db
      .select({
        sequence: messages.sequence,
        bytesBefore: sql<number>`sum(octet_length(${messages.content})) OVER (ORDER BY ${order})
          - octet_length(${messages.content})`.as("bytes_before"),
        bytes: sql<number>`octet_length(${messages.content})`.as("bytes"),
      })
      .from(messages)
      .where(condition)
      .orderBy(order)
      .limit(messagesMax),
  );
  const within = sql`${messages.sequence} <= (
    SELECT max(sequence) FROM ${candidates} WHERE bytes_before = 0 OR bytes_before + bytes <= ${bytesMax})`;
  return { candidates, within };
}

/** Finds a message by its id, which is derived from its idempotency key. */
export function findMessageById(db: Queryable, sessionId: string, id: string): Promise<StoredMessage | null> {
  return findOne(db, sessionId, eq(messages.id, id));
}

/** Finds the message that has a given sequence. */
export function findMessage(
  db: Queryable,
  sessionId: string,
  sequence: number,
): Promise<StoredMessage | null> {
  return findOne(db, sessionId, eq(messages.sequence, sequence));
}

/** Finds the message that answers an ask. There is at most one. */
export function findAnswer(db: Queryable, sessionId: string, ask: number): Promise<StoredMessage | null> {
  return findOne(db, sessionId, eq(messages.answers, ask));
}

async function findOne(db: Queryable, sessionId: string, condition: SQL): Promise<StoredMessage | null> {
  const [row] = await db
    .select(messageColumns)
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), condition));
  return row ?? null;
}
