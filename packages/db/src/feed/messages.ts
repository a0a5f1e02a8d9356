import { type MessageFields, messageFieldNames } from "@merkle/wire";
import { and, asc, count, eq, getTableColumns, gt, lte, or, type SQL, sql } from "drizzle-orm";
import { messages } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/** A message as it is stored, without what proves its content. */
export interface StoredMessage extends Omit<MessageFields, ProofName | "posted_at"> {
  readonly posted_at: Date;
  /** The event that says that its text was removed; null while it has it. */
  readonly redaction: RedactionEvent | null;
}

type ProofName = "salt" | "content_hash";

/** The event of a redaction; without a sequence where no event tells of it. */
export interface RedactionEvent {
  readonly sequence: number | null;
  /** The event's content as it is stored. */
  readonly content: string;
}

const columnsByName = new Map(
  Object.values(getTableColumns(messages)).map((column) => [column.name, column]),
);
const storedNames = messageFieldNames.filter((name) => name !== "salt" && name !== "content_hash");

export const messageColumns = {
  // Columns give what their types say, under the names that they have in the table.
  ...(Object.fromEntries(storedNames.map((name) => [name, columnsByName.get(name)])) as unknown as {
    [Name in Exclude<keyof StoredMessage, "redaction">]: SQL<StoredMessage[Name]>;
  }),
  // A message without its salt is one that was redacted, or a private one of an imported session. The event is looked for by
  // its index, and for those alone.
  redaction: sql<RedactionEvent | null>`CASE WHEN messages.salt IS NULL AND messages.content LIKE '%"redacted":true}' THEN coalesce((
    SELECT json_build_object('sequence', e.sequence, 'content', e.content) FROM messages e
    WHERE e.session_id = messages.session_id AND e.reply_to = messages.sequence AND e.kind = 'message_redacted'
    ORDER BY e.sequence LIMIT 1), '{"sequence":null,"content":"{}"}') END`,
};

/** How much of a feed one read may bring; at least one message always comes. */
export interface PageBounds {
  readonly messagesMax: number;
  readonly bytesMax: number;
}

/** Reads a feed forward: the messages after a sequence, in order. */
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

/** The reader of an inbox: it gets what others caused and is for it, and with `own` what it caused itself. */
export interface Addressee {
  readonly peerId: string;
  readonly own: boolean;
}

/** A part of a feed, as one peer reads it. */
export interface MailPage {
  readonly messages: readonly StoredMessage[];
  /** There is no more for the peer up to here. */
  readonly upTo: number;
}

/** So much of a feed one read looks through for what is for a peer; one without an end would be a slow one. */
const scanMax = 10_000;

/** Reads a peer's mail forward: what is for others fills no page, and no read but that which finds nothing else. */
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

/** Whoever is so far behind reads page after page, and must not have all that is left counted with each. */
const countedMax = 10_000;

/** How many messages of its mail stand between two sequences; at most 10,000. */
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

/** The same question as `isMailOf` of the broker's delivery, which asks it of what it holds in memory. */
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
 * The condition that narrows the wanted messages to one page, beginning with the first. The sum runs over sizes alone, which
 * are known without unpacking the texts; only what fits is read. A page is one run from the start, so its last sequence
 * bounds it. That bound is a scalar, which PostgreSQL computes once, whatever the planner knows of a table that was never
 * analyzed. A set to look into was computed anew for each message.
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

/** The message with an id, as its idempotency key gives it. */
export function findMessageById(db: Queryable, sessionId: string, id: string): Promise<StoredMessage | null> {
  return findOne(db, sessionId, eq(messages.id, id));
}

/** The message at a place of the feed. */
export function findMessage(
  db: Queryable,
  sessionId: string,
  sequence: number,
): Promise<StoredMessage | null> {
  return findOne(db, sessionId, eq(messages.sequence, sequence));
}

/** The message that settled an ask: there is at most one. */
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
