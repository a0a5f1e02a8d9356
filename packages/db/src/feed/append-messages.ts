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
 * When the promise resolves, the posted messages are on disk. First tries the SQL function
 * `append_usual_messages`, which accepts only new messages to open feeds and otherwise writes nothing. If
 * that fails, the SQL function `append_messages` decides row by row.
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

/** Counts for the rows of a batch that go to one feed. The SQL function takes the counts as parameters. */
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
 * Appends a batch in one pass, without converting it to JSON. Every feed must be open and every id must be
 * new.
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
    if (!feed) throw new TypeError("append_usual_messages returned fewer feeds than it was given.");
    return { outcome: "posted", sequence: feed.before + place, postedAt: feed.postedAt };
  });
}

type ArrayElement = string | number | boolean | null;

/** How to read the SQL function's parameters per feed, in order. */
const tallyColumns: readonly ((tally: Tally) => ArrayElement)[] = [
  (tally) => tally.session_id,
  (tally) => tally.rows,
  (tally) => tally.lastChat,
  (tally) => tally.agents,
  (tally) => tally.agentsAtHuman,
];

/**
 * How to read the SQL function's parameters per row, in order, starting after `places`. Null means the
 * default value.
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
 * The statement's text, built once. A tagged template would be assembled by the driver on every call, which
 * costs as much as posting a message.
 */
const statement = `
  SELECT before, (extract(epoch FROM posted_at) * 1000)::bigint AS posted_at_ms
  FROM append_usual_messages(${formatPlaceholders(tallyColumns.length + 2 + rowColumns.length)})`;

/** Returns `count` numbered placeholders, such as `$1, $2`. */
function formatPlaceholders(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join();
}

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
 * Returns true if all texts are well-formed Unicode. `append_usual_messages` would store malformed texts
 * differently, whereas `append_messages`, which takes JSON, refuses them.
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
