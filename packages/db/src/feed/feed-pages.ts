import { and, asc, desc, eq, gt, inArray, isNotNull, lte, max, min, type SQL, sql } from "drizzle-orm";
import { feeds, messages, peers } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";
import { toCaseInsensitivePattern } from "../text/text-query.js";
import { messageColumns, type PageBounds, type StoredMessage } from "./messages.js";

/** Selects messages in a feed. Omitted fields do not restrict the selection. */
export interface FeedFilter {
  /** Whether to include chat messages that are neither asks nor decisions. */
  readonly includesPlain: boolean;
  /** Kinds of messages to include: `ask`, `decision` and names of events. */
  readonly kinds: readonly string[];
  /** Only messages from this team, and events that its peers caused. */
  readonly teamId?: string | undefined;
  /** Only messages that contain this text, ignoring case. `%` and `_` have no special meaning. */
  readonly text?: string | undefined;
  /** Only messages with these sequences, which form a thread. */
  readonly thread?: readonly number[] | undefined;
}

/** A range of sequences in a feed, greater than `after` and up to and including `upTo`. */
export interface FeedRange {
  readonly after: number;
  readonly upTo: number;
}

export interface FeedPart {
  /** The matching messages, oldest first. */
  readonly messages: readonly StoredMessage[];
  /**
   * The sequence up to which the range was read. Any further matching messages lie beyond this sequence, in
   * the direction of reading.
   */
  readonly reached: number;
  /**
   * True if the range continues beyond `reached`. If the filter requires a scan, the rest of the range may
   * contain no further match.
   */
  readonly hasMore: boolean;
}

/**
 * Number of messages that one read scans if no index applies. The limits keep reads fast. Matches are usually
 * near, so the smaller limit is tried first. If the planner lacks statistics, it might otherwise scan or sort
 * everything within the larger limit.
 */
const scans = { near: 2_000, far: 50_000 };
/** Lower limits for text searches, which must decompress the texts. */
const textScans = { near: 1_000, far: 20_000 };
const scanTextBytesMax = 8 * 1024 * 1024;

/**
 * Reads the matching messages in a range, from one end towards the other, until a page is full. Kinds are
 * found by index, however rare they are. Plain chat, teams and texts are searched only in a limited part of
 * the range, so a page may be short or empty although the range contains more matches.
 */
export async function readFeedPart(
  db: Queryable,
  sessionId: string,
  range: FeedRange,
  direction: ReadDirection,
  filter: FeedFilter | null,
  bounds: PageBounds,
): Promise<FeedPart> {
  if (bounds.messagesMax === 0) {
    const reached = direction === "forward" ? range.after : range.upTo + 1;
    return { messages: [], reached, hasMore: range.after < range.upTo };
  }
  const read = async (part: FeedRange) => {
    const matching = await readMatching(db, sessionId, part, direction, filter, bounds);
    return toPart(matching, part, range, direction);
  };
  if (!filter || isIndexed(filter) || filter.thread !== undefined) return read(range);
  const { near, far } = filter.text === undefined ? scans : textScans;
  const found = await read(
    await readScanRange(db, sessionId, range, direction, { filter, messagesMax: near }),
  );
  if (found.isFull || !found.hasMore) return found;
  return read(await readScanRange(db, sessionId, range, direction, { filter, messagesMax: far }));
}

type ReadDirection = "forward" | "backward";

function toPart(
  { found, matched }: MatchingPage,
  part: FeedRange,
  range: FeedRange,
  direction: ReadDirection,
): FeedPart & { readonly isFull: boolean } {
  const last = found.at(-1);
  const isFull = last !== undefined && matched > found.length;
  const end = direction === "forward" ? part.upTo : part.after + 1;
  const reached = isFull ? last.sequence : end;
  const isAtEnd = direction === "forward" ? reached >= range.upTo : reached <= range.after + 1;
  const messages = direction === "forward" ? found : found.toReversed();
  return { messages, reached, hasMore: isFull || !isAtEnd, isFull };
}

function isIndexed({ includesPlain, teamId, text, thread }: FeedFilter): boolean {
  return !includesPlain && teamId === undefined && text === undefined && thread === undefined;
}

/** Returns the part of a range that a single read scans. */
async function readScanRange(
  db: Queryable,
  sessionId: string,
  range: FeedRange,
  direction: ReadDirection,
  { filter, messagesMax }: { readonly filter: FeedFilter; readonly messagesMax: number },
): Promise<FeedRange> {
  const { after, upTo } = range;
  const scanned =
    direction === "forward"
      ? { after, upTo: Math.min(upTo, after + messagesMax) }
      : { after: Math.max(after, upTo - messagesMax), upTo };
  if (filter.text === undefined) return scanned;
  const order = direction === "forward" ? asc(messages.sequence) : desc(messages.sequence);
  // The size of a column's text is available without decompressing it.
  const sized = db
    .select({
      sequence: messages.sequence,
      bytesBefore: sql<number>`sum(octet_length(${messages.content})) OVER (ORDER BY ${order})
        - octet_length(${messages.content})`.as("bytes_before"),
    })
    .from(messages)
    .where(isInRange(sessionId, scanned))
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

interface MatchingPage {
  /** The messages on the page, in the order of reading. */
  readonly found: readonly StoredMessage[];
  /** Number of matches, counted up to one more than fits on a page. */
  readonly matched: number;
}

/**
 * Reads the matching messages that fit on a page, in the order of reading, and counts matches up to one more
 * than fits. The running total uses only sizes. The messages are then read by key from an array that
 * PostgreSQL computes once, even if the table was never analysed.
 */
async function readMatching(
  db: Queryable,
  sessionId: string,
  range: FeedRange,
  direction: ReadDirection,
  filter: FeedFilter | null,
  { messagesMax, bytesMax }: PageBounds,
): Promise<MatchingPage> {
  if (range.upTo <= range.after) return { found: [], matched: 0 };
  const order = direction === "forward" ? sql`ORDER BY sequence ASC` : sql`ORDER BY sequence DESC`;
  const firsts = sql`${order} LIMIT ${messagesMax + 1}`;
  const matching = db
    .$with("matching", {
      sequence: sql<number>`sequence`.as("sequence"),
      bytes: sql<number>`bytes`.as("bytes"),
    })
    .as(sql`${selectMatching(sessionId, range, filter, firsts)} ${firsts}`);
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

/**
 * Selects the sequences and sizes of matching messages: for kinds, the first messages of each by index,
 * otherwise by one scan of the feed.
 */
function selectMatching(sessionId: string, range: FeedRange, filter: FeedFilter | null, firsts: SQL): SQL {
  const walk = (condition: SQL | undefined) =>
    sql`SELECT sequence, octet_length(content) AS bytes FROM ${messages}
      WHERE ${and(isInRange(sessionId, range), condition)}`;
  if (!filter) return walk(undefined);
  if (!isIndexed(filter))
    return walk(and(isOfThread(filter), isOfKind(filter), isOfTeam(sessionId, filter), matchesText(filter)));
  if (filter.kinds.length === 0) return walk(sql`false`);
  const ofEach = filter.kinds.map((kind) => sql`(${walk(eq(messages.kind, kind))} ${firsts})`);
  return sql`SELECT sequence, bytes FROM (${sql.join(ofEach, sql` UNION ALL `)}) of_each`;
}

function isInRange(sessionId: string, { after, upTo }: FeedRange): SQL | undefined {
  return and(eq(messages.sessionId, sessionId), gt(messages.sequence, after), lte(messages.sequence, upTo));
}

function isOfKind({ includesPlain, kinds }: FeedFilter): SQL {
  const isOneOf = kinds.length === 0 ? sql`false` : inArray(messages.kind, [...kinds]);
  return includesPlain ? sql`(${messages.kind} IS NULL OR ${isOneOf})` : isOneOf;
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

/** The searchable text of a message: the text of a chat message, or the names in an event. */
const searchableText = sql`(SELECT concat_ws(E'\n', c ->> 'text', c ->> 'answer', c ->> 'options', c ->> 'team', c ->> 'by', c ->> 'reason',
    c ->> 'key', c #>> '{changes,title,to}', c #>> '{changes,description,to}')
  FROM (SELECT ${messages.content}::json AS c) content)`;

function matchesText({ text }: FeedFilter): SQL | undefined {
  if (text === undefined) return undefined;
  // A match must also occur in the raw JSON. Testing that first avoids parsing most messages.
  const inJson = JSON.stringify(text).slice(1, -1);
  return sql`(${messages.content} ~ ${toCaseInsensitivePattern(inJson)} AND ${searchableText} ~ ${toCaseInsensitivePattern(text)})`;
}

/** Maximum number of messages that are read for a thread. A page cannot show more. */
const threadMessagesMax = 5_000;

/**
 * Returns the sequences of the thread that contains a message, in order. A thread is the first message and
 * all direct and indirect replies to it.
 */
export async function findThread(db: Queryable, sessionId: string, sequence: number): Promise<number[]> {
  const [first] = await db.execute<{ root: string }>(sql`
    WITH RECURSIVE above (sequence, reply_to) AS (
      SELECT sequence, reply_to FROM ${messages} WHERE session_id = ${sessionId} AND sequence = ${sequence}
      UNION ALL
      SELECT m.sequence, m.reply_to FROM above JOIN ${messages} m
        ON m.session_id = ${sessionId} AND m.sequence = above.reply_to)
    SELECT min(sequence)::text AS root FROM above`);
  return findReplies(db, sessionId, [Number(first?.root ?? sequence)]);
}

/**
 * Returns the sequences of these messages and of all direct and indirect replies to them. A reply always comes
 * after its parent, so one pass over the replies finds all of them.
 */
export async function findReplies(
  db: Queryable,
  sessionId: string,
  roots: readonly number[],
): Promise<number[]> {
  if (roots.length === 0) return [];
  const replies = await db
    .select({ sequence: messages.sequence, replyTo: messages.replyTo })
    .from(messages)
    .where(
      and(
        eq(messages.sessionId, sessionId),
        gt(messages.sequence, Math.min(...roots)),
        isNotNull(messages.replyTo),
      ),
    )
    .orderBy(asc(messages.sequence));
  const thread = new Set(roots);
  for (const { sequence: reply, replyTo } of replies) {
    if (thread.size >= threadMessagesMax) break;
    if (replyTo !== null && thread.has(replyTo)) thread.add(reply);
  }
  return [...thread];
}

/**
 * Finds the last message posted at or before a given time. Returns 0 if there is none. Uses a binary search,
 * because posting times never go backwards within a feed and sequences have no gaps. A hundred thousand
 * messages take about seventeen lookups by key.
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
