import { and, asc, desc, eq, gt, inArray, isNotNull, lte, max, min, type SQL, sql } from "drizzle-orm";
import { feeds, messages, peers } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";
import { inAnyCase } from "../text/text-query.js";
import { messageColumns, type PageBounds, type StoredMessage } from "./messages.js";

/** Which messages of a feed are wanted; what is left out narrows nothing. */
export interface FeedFilter {
  /** Chat that is neither ask nor decision. */
  readonly plain: boolean;
  /** `ask`, `decision` and names of events. */
  readonly kinds: readonly string[];
  /** The messages of this team, and events that one of its peers caused. */
  readonly teamId?: string | undefined;
  /** Part of what a message says, whatever its case; `%` and `_` mean themselves. */
  readonly text?: string | undefined;
  /** The sequences of a thread. */
  readonly thread?: readonly number[] | undefined;
}

/** A part of a feed: after the one sequence, up to the other. */
export interface FeedRange {
  readonly after: number;
  readonly upTo: number;
}

export interface FeedPart {
  /** Oldest first. */
  readonly messages: readonly StoredMessage[];
  /** How far was read: what is wanted and not here lies beyond this sequence, in the direction of reading. */
  readonly reached: number;
  /** Whether the range goes on beyond it; of a filter that scans it may turn out to hold nothing more. */
  readonly more: boolean;
}

/**
 * So much of a feed one read looks through for what no index finds; one without an end would be a slow one. What is looked
 * for is mostly near, and then the rest is not walked, nor sorted, where the planner knows too little to walk in order.
 */
const scans = { near: 2_000, far: 50_000 };
/** Texts must be unpacked to be looked at, so these bounds are narrower. */
const textScans = { near: 1_000, far: 20_000 };
const scanTextBytesMax = 8 * 1024 * 1024;

/**
 * Reads a part of a feed from one end towards the other: as much of what is wanted as fits a page. Kinds alone are found by
 * their index, however rare they are. Plain chat, a team or a text is looked for in a bounded part of the range, so that a
 * page may hold little, or nothing, and there still be more.
 */
export async function readFeedPart(
  db: Queryable,
  sessionId: string,
  range: FeedRange,
  direction: Direction,
  filter: FeedFilter | null,
  bounds: PageBounds,
): Promise<FeedPart> {
  if (bounds.messagesMax === 0) {
    const reached = direction === "forward" ? range.after : range.upTo + 1;
    return { messages: [], reached, more: range.after < range.upTo };
  }
  const read = async (part: FeedRange) => {
    const matching = await readMatching(db, sessionId, part, direction, filter, bounds);
    return toPart(matching, part, range, direction);
  };
  if (!filter || isIndexed(filter) || filter.thread !== undefined) return read(range);
  const { near, far } = filter.text === undefined ? scans : textScans;
  const found = await read(await scannedPart(db, sessionId, range, direction, { filter, messagesMax: near }));
  if (found.isFull || !found.more) return found;
  return read(await scannedPart(db, sessionId, range, direction, { filter, messagesMax: far }));
}

type Direction = "forward" | "backward";

function toPart(
  { found, matched }: Matching,
  part: FeedRange,
  range: FeedRange,
  direction: Direction,
): FeedPart & { readonly isFull: boolean } {
  const last = found.at(-1);
  const isFull = last !== undefined && matched > found.length;
  const end = direction === "forward" ? part.upTo : part.after + 1;
  const reached = isFull ? last.sequence : end;
  const isAtEnd = direction === "forward" ? reached >= range.upTo : reached <= range.after + 1;
  const messages = direction === "forward" ? found : found.toReversed();
  return { messages, reached, more: isFull || !isAtEnd, isFull };
}

function isIndexed({ plain, teamId, text, thread }: FeedFilter): boolean {
  return !plain && teamId === undefined && text === undefined && thread === undefined;
}

/** The part of a range that one read looks through. */
async function scannedPart(
  db: Queryable,
  sessionId: string,
  range: FeedRange,
  direction: Direction,
  { filter, messagesMax }: { readonly filter: FeedFilter; readonly messagesMax: number },
): Promise<FeedRange> {
  const { after, upTo } = range;
  const scanned =
    direction === "forward"
      ? { after, upTo: Math.min(upTo, after + messagesMax) }
      : { after: Math.max(after, upTo - messagesMax), upTo };
  if (filter.text === undefined) return scanned;
  const order = direction === "forward" ? asc(messages.sequence) : desc(messages.sequence);
  // Sizes are known without unpacking.
  const sized = db
    .select({
      sequence: messages.sequence,
      bytesBefore: sql<number>`sum(octet_length(${messages.content})) OVER (ORDER BY ${order})
        - octet_length(${messages.content})`.as("bytes_before"),
    })
    .from(messages)
    .where(within(sessionId, scanned))
    .as("sized");
  const [ends] = await db
    .select({ first: min(sized.sequence), last: max(sized.sequence) })
    .from(sized)
    .where(sql`${sized.bytesBefore} < ${scanTextBytesMax}`);
  if (!ends || ends.first === null || ends.last === null) return scanned;
  return direction === "forward"
    ? { after, upTo: Number(ends.last) }
    : { after: Number(ends.first) - 1, upTo };
}

interface Matching {
  /** In the order of reading. */
  readonly found: readonly StoredMessage[];
  /** How many there are, counted up to one more than a page holds. */
  readonly matched: number;
}

/**
 * Reads the matching messages that fit on a page, in the order of reading, and counts the matching ones up to one more than
 * a page holds. The sum runs over sizes alone. The rows are then read by their keys, an array that is computed once,
 * whatever the planner knows of a table that was never analyzed.
 */
async function readMatching(
  db: Queryable,
  sessionId: string,
  range: FeedRange,
  direction: Direction,
  filter: FeedFilter | null,
  { messagesMax, bytesMax }: PageBounds,
): Promise<Matching> {
  if (range.upTo <= range.after) return { found: [], matched: 0 };
  const order = direction === "forward" ? sql`ORDER BY sequence ASC` : sql`ORDER BY sequence DESC`;
  const firsts = sql`${order} LIMIT ${messagesMax + 1}`;
  const matching = db
    .$with("matching", {
      sequence: sql<number>`sequence`.as("sequence"),
      bytes: sql<number>`bytes`.as("bytes"),
    })
    .as(sql`${wantedIn(sessionId, range, filter, firsts)} ${firsts}`);
  const fitting = sql`SELECT sequence FROM (
      SELECT sequence, sum(bytes) OVER (${order}) AS total, row_number() OVER (${order}) AS place FROM ${matching}) sized
    WHERE place = 1 OR (place <= ${messagesMax} AND total <= ${bytesMax})`;
  const rows = await db
    .with(matching)
    .select({ message: messageColumns, matched: sql<number>`(SELECT count(*)::int FROM ${matching})` })
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), sql`${messages.sequence} = ANY (ARRAY(${fitting}))`))
    .orderBy(direction === "forward" ? asc(messages.sequence) : desc(messages.sequence));
  return { found: rows.map(({ message }) => message), matched: rows[0]?.matched ?? 0 };
}

/** The sequences and sizes of what is wanted: of each kind its first ones by the index, else one walk along the feed. */
function wantedIn(sessionId: string, range: FeedRange, filter: FeedFilter | null, firsts: SQL): SQL {
  const walk = (condition: SQL | undefined) =>
    sql`SELECT sequence, octet_length(content) AS bytes FROM ${messages}
      WHERE ${and(within(sessionId, range), condition)}`;
  if (!filter) return walk(undefined);
  if (!isIndexed(filter))
    return walk(and(isOfThread(filter), isOfKind(filter), isOfTeam(sessionId, filter), says(filter)));
  if (filter.kinds.length === 0) return walk(sql`false`);
  const ofEach = filter.kinds.map((kind) => sql`(${walk(eq(messages.kind, kind))} ${firsts})`);
  return sql`SELECT sequence, bytes FROM (${sql.join(ofEach, sql` UNION ALL `)}) of_each`;
}

function within(sessionId: string, { after, upTo }: FeedRange): SQL | undefined {
  return and(eq(messages.sessionId, sessionId), gt(messages.sequence, after), lte(messages.sequence, upTo));
}

function isOfKind({ plain, kinds }: FeedFilter): SQL {
  const isOneOf = kinds.length === 0 ? sql`false` : inArray(messages.kind, [...kinds]);
  return plain ? sql`(${messages.kind} IS NULL OR ${isOneOf})` : isOneOf;
}

function isOfThread({ thread }: FeedFilter): SQL | undefined {
  return thread && sql`${messages.sequence} = ANY (${sql.param(`{${thread.join(",")}}`)}::bigint[])`;
}

function isOfTeam(sessionId: string, { teamId }: FeedFilter): SQL | undefined {
  if (teamId === undefined) return undefined;
  const itsPeers = sql`ARRAY(SELECT ${peers.peerId} FROM ${peers}
    WHERE ${peers.sessionId} = ${sessionId} AND ${peers.teamId} = ${teamId})`;
  return sql`(${messages.postedByTeamId} = ${teamId}
    OR (${messages.type} = 'system' AND ${messages.postedByPeerId} = ANY (${itsPeers})))`;
}

/** The text of a message: that of chat; the names in an event. */
const said = sql`(SELECT concat_ws(E'\n', c ->> 'text', c ->> 'answer', c ->> 'options', c ->> 'team', c ->> 'by', c ->> 'reason',
    c ->> 'key', c #>> '{changes,title,to}', c #>> '{changes,description,to}')
  FROM (SELECT ${messages.content}::json AS c) content)`;

function says({ text }: FeedFilter): SQL | undefined {
  if (text === undefined) return undefined;
  // As it stands in JSON it must be there anyway, and most messages need not be taken apart to see that it is not.
  const inJson = JSON.stringify(text).slice(1, -1);
  return sql`(${messages.content} ~ ${inAnyCase(inJson)} AND ${said} ~ ${inAnyCase(text)})`;
}

/** A talk of more messages is shown by its first ones; no page could show what a reader of it would have read. */
const threadMessagesMax = 5_000;

/**
 * The sequences of a message, of what it replies to, and of all replies to the message that this began with, in order. A
 * reply comes after what it replies to, so one walk along the replies finds them all.
 */
export async function findThread(db: Queryable, sessionId: string, sequence: number): Promise<number[]> {
  const [first] = await db.execute<{ root: string }>(sql`
    WITH RECURSIVE above (sequence, reply_to) AS (
      SELECT sequence, reply_to FROM ${messages} WHERE session_id = ${sessionId} AND sequence = ${sequence}
      UNION ALL
      SELECT m.sequence, m.reply_to FROM above JOIN ${messages} m
        ON m.session_id = ${sessionId} AND m.sequence = above.reply_to)
    SELECT min(sequence)::text AS root FROM above`);
  const root = Number(first?.root ?? sequence);
  const replies = await db
    .select({ sequence: messages.sequence, replyTo: messages.replyTo })
    .from(messages)
    .where(and(eq(messages.sessionId, sessionId), gt(messages.sequence, root), isNotNull(messages.replyTo)))
    .orderBy(asc(messages.sequence));
  const thread = new Set([root]);
  for (const { sequence: reply, replyTo } of replies) {
    if (thread.size >= threadMessagesMax) break;
    if (replyTo !== null && thread.has(replyTo)) thread.add(reply);
  }
  return [...thread];
}

/**
 * The last message that was posted by a time; 0 when none was. Times never go back within a feed and its numbers have no
 * gaps, so it is found by halving: some seventeen look-ups by key in a hundred thousand messages.
 */
export async function findSequenceAt(db: Queryable, sessionId: string, at: Date): Promise<number> {
  const [row] = await db.execute<{ sequence: string }>(sql`
    WITH RECURSIVE halves (low, high) AS (
      SELECT 0::bigint, last_sequence FROM ${feeds} WHERE session_id = ${sessionId}
      UNION ALL
      SELECT CASE WHEN is_before THEN middle ELSE low END, CASE WHEN is_before THEN high ELSE middle - 1 END
      FROM (SELECT low, high, (low + high + 1) / 2 AS middle,
                   (SELECT posted_at <= ${at.toISOString()}::timestamptz FROM ${messages}
                    WHERE session_id = ${sessionId} AND sequence = (low + high + 1) / 2) AS is_before
            FROM halves WHERE low < high) looked_up
    )
    SELECT max(low)::text AS sequence FROM halves WHERE low >= high`);
  return Number(row?.sequence ?? 0);
}
