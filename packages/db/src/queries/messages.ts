import { and, asc, count, desc, eq, gt, lt, lte, type SQL, sql } from "drizzle-orm";
import type { AppendOutcome, MessageRow } from "../append-messages.js";
import { toOutcome } from "../append-messages.js";
import type { Queryable, Transaction } from "../open-database.js";
import { messages } from "../schema.js";

/** A message as it is stored. */
export interface StoredMessage {
  readonly sessionId: string;
  readonly sequence: number;
  readonly id: string;
  readonly type: "chat" | "system";
  readonly postedByTeamId: string | null;
  readonly postedByPeerId: string | null;
  readonly authorTeam: string | null;
  readonly authorPeer: string | null;
  readonly authorHuman: boolean;
  readonly recipients: readonly string[];
  readonly priority: "now" | "next" | "low";
  readonly replyTo: number | null;
  readonly content: string;
  readonly postedAt: Date;
}

const columns = {
  sessionId: messages.sessionId,
  sequence: messages.sequence,
  id: messages.id,
  type: messages.type,
  postedByTeamId: messages.postedByTeamId,
  postedByPeerId: messages.postedByPeerId,
  authorTeam: messages.authorTeam,
  authorPeer: messages.authorPeer,
  authorHuman: messages.authorHuman,
  recipients: messages.recipients,
  priority: messages.priority,
  replyTo: messages.replyTo,
  content: messages.content,
  postedAt: messages.postedAt,
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
  return readPage(db, wanted, "forward", bounds);
}

/** Reads a feed backward: the messages before a sequence, or its newest; oldest first within the page. */
export async function readMessagesBefore(
  db: Queryable,
  sessionId: string,
  before: number | undefined,
  bounds: PageBounds,
): Promise<StoredMessage[]> {
  const ofSession = eq(messages.sessionId, sessionId);
  const wanted = before === undefined ? ofSession : and(ofSession, lt(messages.sequence, before));
  return (await readPage(db, wanted, "backward", bounds)).reverse();
}

// The sum runs over sizes alone, which are known without unpacking the texts; only what fits is read. That is one run from
// the start, so its last sequence bounds the page: a scalar, which is computed once whatever the planner knows of a table
// that was never analyzed, where a set to look into was computed anew for each message.
async function readPage(
  db: Queryable,
  wanted: SQL | undefined,
  direction: "forward" | "backward",
  { messagesMax, bytesMax }: PageBounds,
): Promise<StoredMessage[]> {
  const order = direction === "forward" ? asc(messages.sequence) : desc(messages.sequence);
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
  const fits = sql`FROM ${candidates} WHERE bytes_before = 0 OR bytes_before + bytes <= ${bytesMax}`;
  const within =
    direction === "forward"
      ? sql`${messages.sequence} <= (SELECT max(sequence) ${fits})`
      : sql`${messages.sequence} >= (SELECT min(sequence) ${fits})`;
  return db.with(candidates).select(columns).from(messages).where(and(wanted, within)).orderBy(order);
}

/** How many messages of others stand between two sequences. */
export async function countOthersMessages(
  db: Queryable,
  range: { sessionId: string; after: number; upTo: number; peerId: string },
): Promise<number> {
  const [row] = await db
    .select({ messages: count() })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, range.sessionId),
        gt(messages.sequence, range.after),
        lte(messages.sequence, range.upTo),
        sql`${messages.postedByPeerId} IS DISTINCT FROM ${range.peerId}::uuid`,
      ),
    );
  return row?.messages ?? 0;
}

/**
 * Appends within a verb's own transaction, as its last step: from here to the commit it holds the feed. Waits for
 * whoever holds it now.
 */
export async function appendInTransaction(tx: Transaction, row: MessageRow): Promise<AppendOutcome> {
  const [answer] = await tx.execute<Parameters<typeof toOutcome>[0] & Record<string, unknown>>(sql`
    SELECT outcome, same, sequence, (extract(epoch FROM posted_at) * 1000)::bigint AS posted_at_ms
    FROM append_messages(${JSON.stringify([row])}::text::json, true)`);
  if (!answer) throw new TypeError("append_messages answered no row for a row.");
  return toOutcome(answer);
}
