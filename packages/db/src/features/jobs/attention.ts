import { type SQL, sql } from "drizzle-orm";
import { jobs, topics } from "../../core/schema.js";
import type { Queryable } from "../../core/transactions.js";
import type { JobRow } from "../../identity/job-credentials.js";
import {
  type FactRow,
  type FactScope,
  fromOpenSessions,
  type SourceFact,
  selectFileColumns,
  selectOldest,
  selectSinceMs,
  sessionFactColumns,
  toFact,
} from "../../views/attention.js";

export type FailedJobFact = SourceFact & {
  readonly number: number;
  readonly jobKind: JobRow["kind"];
  readonly failure: JobRow["failure"];
  readonly exitCode: number | null;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
};

/**
 * Lists failed jobs that need attention. Each of them is the last job for its source and has not been
 * retried, and its topic is still open.
 */
export async function listFailedJobs(db: Queryable, scope: FactScope): Promise<FailedJobFact[]> {
  const selectFailed = (of: SQL, from: SQL) => sql`
    SELECT ${of}, j.number, j.kind AS "jobKind", j.failure, j.exit_code AS "exitCode", ${selectSinceMs(sql`j.completed_at`)},
           (extract(epoch FROM j.started_at) * 1000)::bigint AS started_ms
    FROM ${from} LEFT JOIN ${topics} t ON t.mesh_id = j.mesh_id AND t.number = j.topic_id
    WHERE j.mesh_id = ${scope.meshId} AND j.status IN ('failed', 'timed_out') AND t.status IS DISTINCT FROM 'closed'
      AND NOT EXISTS (SELECT FROM ${jobs} l WHERE l.mesh_id = j.mesh_id AND l.source = j.source AND l.number > j.number)`;
  const ofDocuments = selectFailed(
    sessionFactColumns,
    sql`${fromOpenSessions(scope)} JOIN ${jobs} j ON j.session_id = f.session_id`,
  );
  const ofFiles = selectFailed(
    selectFileColumns(sql`j`),
    sql`(SELECT * FROM ${jobs} WHERE session_id IS NULL) j`,
  );
  const rows = await db.execute<FactRow<FailedJobFact> & { started_ms: string | null }>(
    selectOldest(scope, ofDocuments, ofFiles),
  );
  return rows.map(({ started_ms, ...row }) => {
    const fact = toFact(row);
    const startedAt = started_ms === null ? null : new Date(Number(started_ms));
    return { ...fact, startedAt, completedAt: fact.since };
  });
}
