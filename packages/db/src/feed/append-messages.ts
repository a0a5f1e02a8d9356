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
 * Appends messages to their feeds in one transaction and returns an outcome for each row, in the same order. When it resolves, the
 * posted messages are on disk. It first tries `append_usual_messages`, which takes only new messages to open feeds and otherwise
 * writes nothing; then `append_messages` decides row by row.
 *
 * @param wait - whether to wait for a feed that another transaction has locked, instead of answering `busy`
 */
export async function appendMessages(
  connection: postgres.Sql,
  rows: readonly MessageRow[],
  wait: boolean,
): Promise<AppendOutcome[]> {
  const usual = wait ? null : await appendUsualMessages(connection, rows);
  if (usual) return usual;
  // As text: the driver would otherwise turn the JSON text into a JSON string.
  const answers = await connection<AnswerRow[]>`
    SELECT outcome, same, sequence, (extract(epoch FROM posted_at) * 1000)::bigint AS posted_at_ms
    FROM append_messages(${JSON.stringify(rows)}::text::json, ${wait})`;
  return answers.map(toOutcome);
}

/**
 * Appends within a verb's own transaction, as its last step: from here to the commit it holds the feed. Waits for
 * whoever holds it now.
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
      return { outcome: "posted", ...place(answer) };
    case "duplicate":
      return { outcome: "duplicate", same: answer.same === true, ...place(answer) };
    case "closed":
    case "held":
    case "over_budget":
    case "missing":
    case "busy":
      return { outcome: answer.outcome };
  }
}

function place(answer: AnswerRow): { sequence: number; postedAt: Date } {
  return { sequence: Number(answer.sequence), postedAt: new Date(Number(answer.posted_at_ms)) };
}

/** The counts of a batch's rows in one feed, as the SQL function takes them. */
interface Tally {
  readonly session_id: string;
  /** Among the batch's feeds, from 1 on. */
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
 * Appends a batch of which every feed is open to it and every id is new, in one pass and without JSON on the way.
 *
 * @returns null when anything of it is out of the ordinary; then nothing was written
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
    .catch(passOverKnownId);
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

type Element = string | number | boolean | null;

/** The function's parameters for feeds, in its order. */
const tallyColumns: readonly ((tally: Tally) => Element)[] = [
  (tally) => tally.session_id,
  (tally) => tally.rows,
  (tally) => tally.lastChat,
  (tally) => tally.agents,
  (tally) => tally.agentsAtHuman,
];

/** Those for rows that say nothing of their places, in its order; null where a value is the usual one. */
const rowColumns: readonly ((row: MessageRow) => Element)[] = [
  (row) => row.id,
  (row) => (row.type === "chat" ? null : row.type),
  (row) => row.team_id,
  (row) => row.peer_id,
  (row) => quoted(row.author_team),
  (row) => quoted(row.author_peer),
  (row) => row.author_human || null,
  (row) => (isEveryone(row.recipients) ? null : quoted(toArray(row.recipients, quoted))),
  (row) => (row.priority === "next" ? null : row.priority),
  (row) => row.reply_to,
  (row) => quoted(row.content),
  (row) => row.salt,
  (row) => (row.reaches === null ? null : quoted(toArray(row.reaches, (id) => id))),
  (row) => row.answers,
  (row) => quoted(row.kind),
];

/** Made once: the driver puts the text of a template together anew each time, at the cost of a post. */
const statement = `
  SELECT before, (extract(epoch FROM posted_at) * 1000)::bigint AS posted_at_ms
  FROM append_usual_messages(${numbered(tallyColumns.length + 2 + rowColumns.length)})`;

/** Placeholders for so many parameters. */
function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join();
}

/** An id that is there already, in the feed or in the batch, or an ask that has its answer, is for append_messages to judge. */
function passOverKnownId(error: unknown): null {
  if (error instanceof Error && "code" in error && error.code === uniqueViolation) return null;
  throw error;
}

const uniqueViolation = "23505";

/**
 * Text that is not well-formed Unicode would be stored as something else here; `append_messages`, which takes JSON, refuses it.
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
  // Ids are compared as text as PostgreSQL compares them.
  const tallies = [...bySession.values()].sort((a, b) => (a.session_id < b.session_id ? -1 : 1));
  tallies.forEach((tally, index) => {
    tally.index = index + 1;
  });
  return { tallies, placed };
}

function isEveryone(recipients: readonly string[]): boolean {
  return recipients.length === 1 && recipients[0] === "*";
}

/** The literal of an array, or null where every value is the usual one. */
function toColumn<Row>(rows: readonly Row[], read: (row: Row) => Element): string | null {
  return rows.every((row) => read(row) === null) ? null : toArray(rows, read);
}

/** The literal of an array as PostgreSQL reads it; its texts are `quoted` already, where they may be anything. */
function toArray<Row>(rows: readonly Row[], read: (row: Row) => Element): string {
  return `{${rows.map((row) => read(row) ?? "NULL").join()}}`;
}

/** A text as an element of an array's literal. */
function quoted(text: string): string;
function quoted(text: string | null): string | null;
function quoted(text: string | null): string | null {
  return text === null ? null : `"${text.replace(/["\\]/g, "\\$&")}"`;
}
