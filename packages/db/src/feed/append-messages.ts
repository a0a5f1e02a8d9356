import { sql } from "drizzle-orm";
import type postgres from "postgres";
import type { Transaction } from "../core/transactions.js";
import type { AppendOutcome, MessageRow } from "./message-row.js";

interface AnswerRow {
  outcome: AppendOutcome["outcome"];
  same: boolean | null;
  sequence: string | null;
  posted_at_ms: string | null;
}

/**
 * Appends messages to their feeds in one transaction. Returns an outcome for each row, in the same order.
 * When the promise resolves, the posted messages are on disk. First tries `appendUsualMessages`, which
 * accepts only new messages to open feeds and otherwise writes nothing. If that fails, the SQL function
 * `append_messages` decides row by row.
 *
 * @param shouldWait - true to wait for a feed locked by another transaction, false to return `busy`
 */
export async function appendMessages(
  connection: postgres.Sql,
  rows: readonly MessageRow[],
  shouldWait: boolean,
): Promise<AppendOutcome[]> {
  const usual = shouldWait ? null : await appendUsualMessages(connection, rows);
  if (usual) return usual;
  // The rows are passed as text, because the driver would encode a JSON value a second time.
  const answers = await connection<AnswerRow[]>`
    SELECT outcome, same, sequence, (extract(epoch FROM posted_at) * 1000)::bigint AS posted_at_ms
    FROM append_messages(${JSON.stringify(rows)}::text::json, ${shouldWait})`;
  return answers.map(toOutcome);
}

/**
 * Appends a message within a caller's transaction, as its last step. Waits for the feed's lock, which is held
 * until the commit.
 */
export async function appendInTransaction(tx: Transaction, row: MessageRow): Promise<AppendOutcome> {
  const [answer] = await tx.execute<AnswerRow & Record<string, unknown>>(sql`
    SELECT outcome, same, sequence, (extract(epoch FROM posted_at) * 1000)::bigint AS posted_at_ms
    FROM append_messages(${JSON.stringify([row])}::text::json, true)`);
  if (!answer) throw new TypeError("append_messages returned no outcome for a message.");
  return toOutcome(answer);
}

function toOutcome(answer: AnswerRow): AppendOutcome {
  switch (answer.outcome) {
    case "posted":
      return { outcome: "posted", ...toPosition(answer) };
    case "duplicate":
      return { outcome: "duplicate", isSame: answer.same === true, ...toPosition(answer) };
    case "closed":
    case "held":
    case "over_budget":
    case "missing":
    case "busy":
      return { outcome: answer.outcome };
  }
}

function toPosition(answer: AnswerRow): { sequence: number; postedAt: Date } {
  return { sequence: Number(answer.sequence), postedAt: new Date(Number(answer.posted_at_ms)) };
}

/** Counts for the rows of a batch that go to one feed. The statement takes the counts as parameters. */
interface Tally {
  readonly session_id: string;
  /** Index of the feed among the batch's feeds, starting at 1. */
  index: number;
  rows: number;
  lastChat: number;
  agents: number;
  agentsAtHuman: number | null;
}

interface FeedAnswer {
  before: string;
  posted_at_ms: string;
}

/**
 * Appends a batch in which every row is an ordinary one: all feeds exist, are unlocked, open, not held and
 * without a budget, and all ids are new. Gives the same guarantees as `append_messages` (FEED-2, FEED-4).
 *
 * @returns null if the batch does not qualify; nothing is written then
 */
export async function appendUsualMessages(
  connection: postgres.Sql,
  rows: readonly MessageRow[],
): Promise<AppendOutcome[] | null> {
  if (!rows.every(isWellFormed)) return null;
  const { tallies, placed } = countRows(rows);
  const parameters = [
    ...tallyColumns.map((read) => toArray(tallies, read)),
    tallies.length === 1 ? null : toArray(placed, ({ tally }) => tally.index),
    toArray(placed, ({ place }) => place),
    ...rowColumns.map((read) => toColumn(rows, read)),
  ];
  const answers = await connection
    .unsafe<FeedAnswer[]>(statement, parameters, { prepare: true })
    .catch(ignoreKnownId);
  if (!answers || answers.length === 0) return null;
  const feeds = answers.map(({ before, posted_at_ms }) => ({
    before: Number(before),
    postedAt: new Date(Number(posted_at_ms)),
  }));
  return placed.map(({ tally, place }) => {
    const feed = feeds[tally.index - 1];
    if (!feed) throw new TypeError("A batch was appended to fewer feeds than it was for.");
    return { outcome: "posted", sequence: feed.before + place, postedAt: feed.postedAt };
  });
}

type ArrayElement = string | number | boolean | null;

/** How to read the statement's parameters per feed, in order. */
const tallyColumns: readonly ((tally: Tally) => ArrayElement)[] = [
  (tally) => tally.session_id,
  (tally) => tally.rows,
  (tally) => tally.lastChat,
  (tally) => tally.agents,
  (tally) => tally.agentsAtHuman,
];

/**
 * How to read the statement's parameters per row, in order, starting after `places`. Null means the default
 * value.
 */
const rowColumns: readonly ((row: MessageRow) => ArrayElement)[] = [
  (row) => row.id,
  (row) => (row.type === "chat" ? null : row.type),
  (row) => row.team_id,
  (row) => row.peer_id,
  (row) => quoteElement(row.author_team),
  (row) => quoteElement(row.author_peer),
  (row) => row.author_human || null,
  (row) => (isEveryone(row.recipients) ? null : quoteElement(toArray(row.recipients, quoteElement))),
  (row) => (row.priority === "next" ? null : row.priority),
  (row) => row.reply_to,
  (row) => quoteElement(row.content),
  (row) => row.salt,
  (row) => (row.reaches === null ? null : quoteElement(toArray(row.reaches, (id) => id))),
  (row) => row.answers,
  (row) => quoteElement(row.kind),
];

/**
 * Returns one row per feed, in the order of `$1`: its last sequence before the batch, and the posting time.
 * Returns no rows and writes nothing unless every feed qualifies. Fails if an id exists. The failure also rolls
 * back the counter, so numbers have no gaps: only the unique index decides, never a lookup in the statement's
 * snapshot, which may be older than the lock.
 *
 * `locked` never waits, so two batches cannot deadlock. It checks the newest version of each row, and the UPDATE
 * numbers from the version that it changes, so neither depends on the snapshot. The time is taken under the
 * lock, so posting times never go backwards within a feed.
 *
 * Parameters are arrays. Those of feeds (distinct ids in ascending order):
 *   $2: number of rows
 *   $3: position of the last chat message among the feed's rows, 0 if there is none
 *   $4: number of rows posted by agents
 *   $5: how many of those precede the last chat message from a human, NULL if there is none
 * Those of rows:
 *   $6: index of the feed in $1; NULL as a whole for a single feed
 *   $7: position among the feed's rows
 * Of the others the whole array, or a value in it, may be NULL for the default: a chat message by an agent, to
 * everyone, with priority next, that is not a reply.
 */
const statement = `
  WITH locked AS MATERIALIZED (
    SELECT session_id FROM feeds
    WHERE session_id = ANY ($1::uuid[]) AND closed_at IS NULL AND held_at IS NULL AND message_budget = 0
    ORDER BY session_id FOR NO KEY UPDATE SKIP LOCKED
  ), bumped AS (
    UPDATE feeds f SET
      last_sequence = f.last_sequence + t.many,
      last_posted_at = greatest(date_trunc('milliseconds', clock_timestamp()), f.last_posted_at),
      last_chat_sequence = CASE WHEN t.last_chat = 0 THEN f.last_chat_sequence ELSE f.last_sequence + t.last_chat END,
      agent_messages = f.agent_messages + t.agents,
      agent_messages_at_human = coalesce(f.agent_messages + t.agents_at_human, f.agent_messages_at_human)
    FROM unnest($1::uuid[], $2::integer[], $3::integer[], $4::integer[], $5::integer[])
      AS t (session_id, many, last_chat, agents, agents_at_human)
    WHERE f.session_id = t.session_id AND (SELECT count(*) FROM locked) = cardinality($1::uuid[])
    RETURNING f.session_id, f.last_sequence - t.many AS before, f.last_posted_at AS posted_at
  ), numbers AS MATERIALIZED (
    SELECT array_agg(before ORDER BY session_id) AS befores, array_agg(posted_at ORDER BY session_id) AS instants
    FROM bumped HAVING count(*) > 0
  ), inserted AS (
    INSERT INTO messages (session_id, sequence, id, type, posted_by_team_id, posted_by_peer_id, author_team, author_peer,
                          author_human, recipients, priority, reply_to, content, salt, posted_at, reaches, answers, kind)
    SELECT ($1::uuid[])[coalesce(r.feed, 1)], n.befores[coalesce(r.feed, 1)] + r.place, r.id, coalesce(r.type, 'chat'),
           r.team_id, r.peer_id, r.author_team, r.author_peer, coalesce(r.author_human, false),
           coalesce(r.recipients::text[], '{*}'), coalesce(r.priority, 'next'), r.reply_to, r.content, decode(r.salt, 'hex'),
           n.instants[coalesce(r.feed, 1)], r.reaches::uuid[], r.answers, r.kind
    FROM numbers n, unnest(
      $6::integer[], $7::integer[], $8::uuid[], $9::text[], $10::uuid[], $11::uuid[], $12::text[], $13::text[],
      $14::boolean[], $15::text[], $16::text[], $17::bigint[], $18::text[], $19::text[], $20::text[], $21::bigint[],
      $22::text[]
    ) AS r (feed, place, id, type, team_id, peer_id, author_team, author_peer,
            author_human, recipients, priority, reply_to, content, salt, reaches, answers,
            kind)
  )
  SELECT before, (extract(epoch FROM posted_at) * 1000)::bigint AS posted_at_ms FROM bumped ORDER BY session_id`;

/**
 * Returns null if an id already exists in the feed or batch, or if an ask already has an answer. The caller
 * then uses `append_messages`. Rethrows any other error.
 */
function ignoreKnownId(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === uniqueViolation) return null;
  throw error;
}

const uniqueViolation = "23505";

/**
 * Returns true if all texts are well-formed Unicode. Array parameters would store malformed texts differently,
 * whereas `append_messages`, which takes JSON, refuses them.
 */
function isWellFormed({ content, author_team, author_peer, recipients, kind }: MessageRow): boolean {
  return (
    content.isWellFormed() &&
    (author_team?.isWellFormed() ?? true) &&
    (author_peer?.isWellFormed() ?? true) &&
    (kind?.isWellFormed() ?? true) &&
    (isEveryone(recipients) || recipients.every((each) => each.isWellFormed()))
  );
}

function countRows(rows: readonly MessageRow[]) {
  const bySession = new Map<string, Tally>();
  const placed = rows.map((row) => {
    const { session_id } = row;
    let tally = bySession.get(session_id);
    if (!tally) {
      tally = { session_id, index: 0, rows: 0, lastChat: 0, agents: 0, agentsAtHuman: null };
      bySession.set(session_id, tally);
    }
    tally.rows += 1;
    if (row.type === "chat") {
      tally.lastChat = tally.rows;
      if (row.author_human) tally.agentsAtHuman = tally.agents;
      else tally.agents += 1;
    }
    return { tally, place: tally.rows };
  });
  // Comparing UUIDs as text gives the same order as in PostgreSQL.
  const tallies = [...bySession.values()].sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
  tallies.forEach((tally, index) => {
    tally.index = index + 1;
  });
  return { tallies, placed };
}

function isEveryone(recipients: readonly string[]): boolean {
  return recipients.length === 1 && recipients[0] === "*";
}

/** Formats the values as an array literal, or returns null if every value is the default. */
function toColumn<Row>(rows: readonly Row[], read: (row: Row) => ArrayElement): string | null {
  return rows.every((row) => read(row) === null) ? null : toArray(rows, read);
}

/** Formats a PostgreSQL array literal. Texts that may contain special characters must already be quoted. */
function toArray<Row>(rows: readonly Row[], read: (row: Row) => ArrayElement): string {
  return `{${rows.map((row) => read(row) ?? "NULL").join()}}`;
}

/** Quotes a string as an element of an array literal. */
function quoteElement(text: string): string;
function quoteElement(text: string | null): string | null;
function quoteElement(text: string | null): string | null {
  return text === null ? null : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
