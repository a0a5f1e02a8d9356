import { sql } from "drizzle-orm";
import type postgres from "postgres";
import type { Transaction } from "../core/transactions.js";
import { appendUsualMessages } from "./append-usual-messages.js";
import type { AppendOutcome, MessageRow } from "./message-row.js";

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
