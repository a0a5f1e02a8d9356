import type { MessageFields } from "@merkle/wire";
import { sql } from "drizzle-orm";
import type postgres from "postgres";
import type { Transaction } from "../core/transactions.js";
import { appendUsualMessages } from "./append-usual-messages.js";

/**
 * A message to be appended: its fields but those that the feed gives it. Its id is fixed before it is sent, so sending it again
 * can only find it (FEED-5).
 */
export interface MessageRow
  extends Omit<
    MessageFields,
    "sequence" | "posted_at" | "salt" | "content_hash" | "posted_by_team_id" | "posted_by_peer_id"
  > {
  /** Of who posts it. */
  readonly team_id: string | null;
  readonly peer_id: string | null;
  /** 16 random bytes in hexadecimal. */
  readonly salt: string;
  /** Set by what may still be announced in a closed session. */
  readonly after_closing: boolean;
}

/** A row by itself: nobody's, to everyone, about nothing. What makes a row says the rest, so a further field has its default here. */
export const messageRowDefaults = {
  team_id: null,
  peer_id: null,
  author_team: null,
  author_peer: null,
  author_human: false,
  recipients: ["*"],
  priority: "next",
  reply_to: null,
  after_closing: false,
  reaches: null,
  answers: null,
  kind: null,
} as const satisfies Partial<MessageRow>;

/** What became of one row, whatever became of the others of its batch. */
export type AppendOutcome =
  | { outcome: "posted"; sequence: number; postedAt: Date }
  | { outcome: "duplicate"; same: boolean; sequence: number; postedAt: Date }
  | { outcome: "closed" }
  /** A human holds the session, and this is an agent's message. */
  | { outcome: "held" }
  /** Agents have said as much as they may since the last human word. */
  | { outcome: "over_budget" }
  | { outcome: "missing" }
  | { outcome: "busy" };

interface AnswerRow {
  outcome: AppendOutcome["outcome"];
  same: boolean | null;
  sequence: string | null;
  posted_at_ms: string | null;
}

/**
 * Appends messages to their feeds in one statement and transaction of its own, and answers each row in the order given.
 * When this resolves, what was posted is on disk. Nearly every batch is one of new messages to open feeds, and takes the short
 * way; one in which anything is out of the ordinary has written nothing by it, and is judged row by row.
 *
 * @param wait - whether to wait for a feed that another transaction holds, instead of answering `busy`
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
  if (!answer) throw new TypeError("append_messages answered no row for a row.");
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
