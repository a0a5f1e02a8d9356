import { type SQL, sql } from "drizzle-orm";
import { feeds, proposals, sessions } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import {
  buildScopeCondition,
  type FactRow,
  type FactScope,
  type SourceFact,
  selectFileColumns,
  selectOldest,
  selectSinceMs,
  sessionFactColumns,
  toFact,
} from "../../views/attention.js";

export type ProposalFact = SourceFact & {
  readonly number: number;
  readonly proposalKind: "rewrite" | "conclusion";
  /** The person who made the proposal. Null if an agent made it. */
  readonly proposedBy: string | null;
  readonly added: number;
  readonly removed: number;
};

/**
 * Lists proposals that wait for a human's decision. In a closed session, only a new conclusion can still be
 * accepted.
 */
export async function listOpenProposals(db: Queryable, scope: FactScope): Promise<ProposalFact[]> {
  const open = (of: SQL, from: SQL) => sql`
    SELECT ${of}, p.number, p.kind AS "proposalKind", p.proposed_by AS "proposedBy", p.added, p.removed,
           ${selectSinceMs(sql`p.proposed_at`)}
    FROM ${from} WHERE p.mesh_id = ${scope.meshId} AND p.status = 'open'`;
  const ofDocuments = open(
    sessionFactColumns,
    sql`${proposals} p JOIN ${sessions} s ON s.session_id = p.session_id${buildScopeCondition(scope)}
      JOIN ${feeds} f ON f.session_id = s.session_id AND (f.closed_at IS NULL OR p.kind = 'conclusion')`,
  );
  const ofFiles = open(
    selectFileColumns(sql`p`),
    sql`(SELECT * FROM ${proposals} WHERE session_id IS NULL) p`,
  );
  const rows = await db.execute<FactRow<ProposalFact>>(selectOldest(scope, ofDocuments, ofFiles));
  return rows.map(toFact);
}
