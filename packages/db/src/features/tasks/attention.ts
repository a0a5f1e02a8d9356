import { sql } from "drizzle-orm";
import { claims, tasks } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import {
  type FactScope,
  ms,
  ofSession,
  openSessions,
  type Row,
  type SessionFact,
  toFact,
} from "../../views/attention.js";

export interface TaskFact extends SessionFact {
  readonly kind: "in_review" | "handed_back";
  /** Null for a thing that was claimed. */
  readonly number: number | null;
  /** The number of the claim, so that the next one's end is another fact. */
  readonly claim: number;
  /** The name of whoever did the task, or was the last to hold the task or thing. */
  readonly holder: string;
  /** A task's title, or what was claimed. */
  readonly text: string;
}

/**
 * Tasks that wait for a human's word that they are done, and what was handed back because its holder was gone: a task until it
 * is claimed again, a thing for a day.
 */
export async function listTaskFacts(db: Queryable, scope: FactScope): Promise<TaskFact[]> {
  const rows = await db.execute<Row<TaskFact>>(sql`
    SELECT ${ofSession}, CASE t.state WHEN 'open' THEN 'handed_back' ELSE 'in_review' END AS kind, t.number,
           t.fence AS claim, coalesce(t.holder, '') AS holder, t.title AS text,
           ${ms(sql`CASE t.state WHEN 'open' THEN t.handed_back_at ELSE t.updated_at END`)}
    FROM ${openSessions(scope)}
    JOIN ${tasks} t ON t.session_id = f.session_id
      AND (t.state = 'open' AND t.handed_back_at IS NOT NULL OR t.state = 'in_review')
    UNION ALL
    SELECT ${ofSession}, 'handed_back', NULL, c.number, c.holder, c.scope, ${ms(sql`c.handed_back_at`)}
    FROM ${openSessions(scope)}
    JOIN ${claims} c ON c.session_id = f.session_id AND c.handed_back_at IS NOT NULL
    ORDER BY since_ms LIMIT ${scope.limit}`);
  return rows.map(toFact);
}
