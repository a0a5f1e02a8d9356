import { type MessageFields, messageFieldNames } from "@merkle/wire";
import { and, asc, count, eq, getTableColumns, gt, lte, or, type SQL, sql } from "drizzle-orm";
import { messages } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/** A stored message, without the fields that prove its content. */
export interface StoredMessage extends Omit<MessageFields, ProofName | "posted_at"> {
  readonly posted_at: Date;
  /** The event that reports the redaction of the message. Null if the message was not redacted. */
  readonly redaction: RedactionEvent | null;
}

type ProofName = "salt" | "content_hash";

/** The event of a redaction. `sequence` is null if no event reports it. */
export interface RedactionEvent {
  readonly sequence: number | null;
  /** The event's content as stored. */
  readonly content: string;
}

const columnsByName = new Map(
  Object.values(getTableColumns(messages)).map((column) => [column.name, column]),
);
const storedNames = messageFieldNames.filter((name) => name !== "salt" && name !== "content_hash");

export const messageColumns = {
  // The columns have the types of the fields, under their database names.
  ...(Object.fromEntries(storedNames.map((name) => [name, columnsByName.get(name)])) as unknown as {
    [Name in Exclude<keyof StoredMessage, "redaction">]: SQL<StoredMessage[Name]>;
  }),
  // A message without a salt was redacted, or is a private message of an imported session. Only for those,
  // the event is looked up by index.
  redaction: sql<RedactionEvent | null>`CASE WHEN messages.salt IS NULL AND messages.content LIKE '%"redacted":true}' THEN coalesce((
    SELECT json_build_object('sequence', e.sequence, 'content', e.content) FROM messages e
    WHERE e.session_id = messages.session_id AND e.reply_to = messages.sequence AND e.kind = 'message_redacted'
    ORDER BY e.sequence LIMIT 1), '{"sequence":null,"content":"{}"}') END`,
};

/** Limits of one read. At least one message is always returned. */
export interface PageBounds {
  readonly messagesMax: number;
  readonly bytesMax: number;
}

/** Reads the messages after a sequence, in order. */
export function readMessagesAfter(
  db: Queryable,
  sessionId: string,
  after: number,
  bounds: PageBounds,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<StoredMessage[]> {
  const wanted = and(
    eq(messages.sessionId, sessionId),
    gt(messages.sequence, after),
    lte(messages.sequence, upTo),
  );
  return readPage(db, wanted, bounds);
}

/**
 * The reader of an inbox. It receives messages by others that are addressed to it, and with `own` its own
 * messages too.
 */
export interface Addressee {
  readonly peerId: string;
  readonly own: boolean;
}

/** A page of a feed, filtered for one peer. */
export interface MailPage {
  readonly messages: readonly StoredMessage[];
  /** The sequence up to which the page contains all of the peer's messages. */
  readonly upTo: number;
}

/** Number of messages that one read scans for those addressed to a peer. The limit keeps reads fast. */
const scanMax = 10_000;

/**
 * Reads a peer's messages forward. Messages for others are skipped without counting towards the page. A page
 * is empty only if nothing else was found in the scanned range.
 */
export async function readMail(
  db: Queryable,
  sessionId: string,
  addressee: Addressee,
  range: { readonly after: number; readonly upTo: number },
  bounds: PageBounds,
): Promise<MailPage> {
  const upTo = Math.min(range.upTo, range.after + scanMax);
  const wanted = and(
    eq(messages.sessionId, sessionId),
    gt(messages.sequence, range.after),
    lte(messages.sequence, upTo),
    isMailOf(addressee),
  );
  const page = await readPage(db, wanted, bounds);
  return { messages: page, upTo: page.at(-1)?.sequence ?? upTo };
}

/** Limits the count for a peer that is far behind, because it is repeated for each page. */
const countedMax = 10_000;

/** Counts a peer's messages within a range, up to 10,000. */
export async function countMail(
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
        isMailOf(addressee),
      ),
    )
    .limit(countedMax)
    .as("counted");
  const [row] = await db.select({ messages: count() }).from(counted);
  return row?.messages ?? 0;
}

/** The same condition as `isMailOf` in the broker's delivery, which applies it to messages in memory. */
function isMailOf({ peerId, own }: Addressee): SQL | undefined {
  const isAddressed = sql`(${messages.reaches} IS NULL OR ${peerId}::uuid = ANY (${messages.reaches}))`;
  const isOfOthers = sql`${messages.postedByPeerId} IS DISTINCT FROM ${peerId}::uuid`;
  const forPeer = and(isAddressed, isOfOthers);
  return own ? or(forPeer, eq(messages.postedByPeerId, peerId)) : forPeer;
}

async function readPage(
  db: Queryable,
  wanted: SQL | undefined,
  bounds: PageBounds,
): Promise<StoredMessage[]> {
  const { candidates, within } = boundPage(db, wanted, bounds);
  return db
    .with(candidates)
    .select(messageColumns)
    .from(messages)
    .where(and(wanted, within))
    .orderBy(asc(messages.sequence));
}

/**
 * Returns a condition that limits the matching messages to one page from the start. The running sum uses only
 * sizes, which are available without decompressing the texts. Only messages that fit are read. A page is
 * contiguous, so its last sequence is sufficient as a bound. PostgreSQL computes this scalar once, even if
 * the table was never analysed. With a set of sequences, it was computed again for each message.
 */
export function boundPage(db: Queryable, wanted: SQL | undefined, { messagesMax, bytesMax }: PageBounds) {
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
      .where(wanted)
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

/** Finds the message with a sequence. */
export function findMessage(
  db: Queryable,
  sessionId: string,
  sequence: number,
): Promise<StoredMessage | null> {
  return findOne(db, sessionId, eq(messages.sequence, sequence));
}

/** Finds the message that settled an ask. There is at most one. */
export function findAnswer(db: Queryable, sessionId: string, ask: number): Promise<StoredMessage | null> {
  return findOne(db, sessionId, eq(messages.answers, ask));
}

async function findOne(db: Queryable, sessionId: string, wanted: SQL): Promise<StoredMessage | null> {
  const [row] = await db
    .select(messageColumns)
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), wanted));
  return row ?? null;
}
