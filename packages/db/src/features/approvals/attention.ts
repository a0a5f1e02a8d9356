import { sql } from "drizzle-orm";
import { approvals } from "../../core/schema.js";
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

export interface ApprovalFact extends SessionFact {
  readonly number: number;
  readonly askedBy: string;
  readonly tool: string;
}

/**
 * Lists the permission requests that agents are waiting for.
 *
 * @param personId - if given, only requests from this person's agents are listed
 */
export async function listApprovalFacts(
  db: Queryable,
  scope: FactScope,
  personId: string | undefined,
): Promise<ApprovalFact[]> {
  const own = personId === undefined ? sql`` : sql` AND a.person_id = ${personId}`;
  const rows = await db.execute<FactRow<ApprovalFact>>(sql`
    SELECT ${sessionFactColumns}, a.number, a.asked_by AS "askedBy", a.tool, ${selectSinceMs(sql`a.asked_at`)}
    FROM ${fromOpenSessions(scope)}
    JOIN ${approvals} a ON a.session_id = f.session_id AND a.state = 'waiting' AND a.expires_at > now()${own}
    ORDER BY a.asked_at, a.number LIMIT ${scope.limit}`);
  return rows.map(toFact);
}
