import { sql } from "drizzle-orm";
import { claims, tasks } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import {
  type FactRow,
  type FactScope,
  fromOpenSessions,
  type SessionFact,
  selectSinceMs,
  sessionFactColumns,
  toFact,
} from "../../views/attention.js";

export interface TaskFact extends SessionFact {
  readonly kind: "in_review" | "handed_back";
  /** Number of the task. Null if this is a claim on a scope instead of a task. */
  readonly number: number | null;
  /** Number of the claim. It distinguishes claims, so that the end of each is a separate fact. */
  readonly claim: number;
  /** Name of the peer that did the task, or was the last to hold the task or claim. */
  readonly holder: string;
  /** Title of the task, or the scope of the claim. */
  readonly text: string;
}

/**
 * Lists tasks that wait for a human's approval, and tasks and claims that were handed back because their
 * holder disappeared. Tasks are listed until someone claims them again, and claims are listed for a day.
 */
export async function listTaskFacts(db: Queryable, scope: FactScope): Promise<TaskFact[]> {
  const rows = await db.execute<FactRow<TaskFact>>(sql`
    SELECT ${sessionFactColumns}, CASE t.state WHEN 'open' THEN 'handed_back' ELSE 'in_review' END AS kind, t.number,
           t.fence AS claim, coalesce(t.holder, '') AS holder, t.title AS text,
           ${selectSinceMs(sql`CASE t.state WHEN 'open' THEN t.handed_back_at ELSE t.updated_at END`)}
    FROM ${fromOpenSessions(scope)}
    JOIN ${tasks} t ON t.session_id = f.session_id
      AND (t.state = 'open' AND t.handed_back_at IS NOT NULL OR t.state = 'in_review')
    UNION ALL
    SELECT ${sessionFactColumns}, 'handed_back', NULL, c.number, c.holder, c.scope, ${selectSinceMs(sql`c.handed_back_at`)}
    FROM ${fromOpenSessions(scope)}
    JOIN ${claims} c ON c.session_id = f.session_id AND c.handed_back_at IS NOT NULL
    ORDER BY since_ms LIMIT ${scope.limit}`);
  return rows.map(toFact);
}
