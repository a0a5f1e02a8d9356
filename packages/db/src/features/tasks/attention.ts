import { sql } from "drizzle-orm";
import { claims, peers, tasks, teams } from "../../core/schema.js";
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
  /** Whether an agent that is in the session can accept the task, because its check names that agent. */
  readonly hasAgentReviewer: boolean;
}

/** Selects whether the check of task `t` names an agent in its session, other than the one that did the work. */
const selectAgentReviewer = sql`EXISTS (
  SELECT FROM ${peers} p JOIN ${teams} r ON r.session_id = p.session_id AND r.team_id = p.team_id
  WHERE p.session_id = t.session_id AND p.left_at IS NULL AND r.left_at IS NULL AND r.kind = 'agent'
    AND p.peer_id IS DISTINCT FROM t.holder_peer_id
    AND lower(t."check" ->> 'reviewer') IN (lower(r.name), lower(p.name), lower(r.name || '/' || p.name)))`;

/**
 * Lists tasks that wait for their reviewer or their proof, and tasks and claims that were handed back because their
 * holder disappeared. Tasks are listed until someone claims them again, and claims are listed for a day.
 */
export async function listTaskFacts(db: Queryable, scope: FactScope): Promise<TaskFact[]> {
  const rows = await db.execute<FactRow<TaskFact>>(sql`
    SELECT ${sessionFactColumns}, CASE t.state WHEN 'open' THEN 'handed_back' ELSE 'in_review' END AS kind, t.number,
           t.fence AS claim, coalesce(t.holder, '') AS holder, t.title AS text,
           t.state = 'in_review' AND ${selectAgentReviewer} AS "hasAgentReviewer",
           ${selectSinceMs(sql`CASE t.state WHEN 'open' THEN t.handed_back_at ELSE t.updated_at END`)}
    FROM ${fromOpenSessions(scope)}
    JOIN ${tasks} t ON t.session_id = f.session_id
      AND (t.state = 'open' AND t.handed_back_at IS NOT NULL OR t.state = 'in_review')
    UNION ALL
    SELECT ${sessionFactColumns}, 'handed_back', NULL, c.number, c.holder, c.scope, false,
           ${selectSinceMs(sql`c.handed_back_at`)}
    FROM ${fromOpenSessions(scope)}
    JOIN ${claims} c ON c.session_id = f.session_id AND c.handed_back_at IS NOT NULL
    ORDER BY since_ms LIMIT ${scope.limit}`);
  return rows.map(toFact);
}
