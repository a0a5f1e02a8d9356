import { type SQL, sql } from "drizzle-orm";
import { dismissals, jobs, peers, progressEntries } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/**
 * Number of rows deleted per statement. Each statement is limited to 5 s (DB-10), and deleting a year's rows
 * takes longer.
 */
const rowsAtOnce = 5_000;

/** Deletes progress entries older than `days` days, and returns how many were deleted. */
export async function purgeProgress(db: Queryable, days: number): Promise<number> {
  return runInBatches(
    db,
    sql`DELETE FROM ${progressEntries} WHERE (mesh_id, id) IN (
      SELECT mesh_id, id FROM ${progressEntries} WHERE created_at < ${selectDaysAgo(days)} LIMIT ${rowsAtOnce})`,
  );
}

/** Clears the machine, activity and status of peers that have not been seen for `days` days. */
export async function purgePresence(db: Queryable, days: number): Promise<number> {
  return runInBatches(
    db,
    sql`UPDATE ${peers} SET cwd = NULL, machine = NULL, summary = NULL, summary_at = NULL,
        declared_status = NULL, declared_reason = NULL, declared_at = NULL
      WHERE (session_id, peer_id) IN (
        SELECT session_id, peer_id FROM ${peers}
        WHERE coalesce(left_at, last_seen_at, joined_at) < ${selectDaysAgo(days)}
          AND num_nonnulls(cwd, machine, summary, declared_status) > 0 LIMIT ${rowsAtOnce})`,
  );
}

/** Clears the last output of jobs that ended more than `days` days ago. */
export async function purgeJobOutput(db: Queryable, days: number): Promise<number> {
  return runInBatches(
    db,
    sql`UPDATE ${jobs} SET error_tail = NULL WHERE (mesh_id, number) IN (
      SELECT mesh_id, number FROM ${jobs}
      WHERE completed_at < ${selectDaysAgo(days)} AND error_tail IS NOT NULL LIMIT ${rowsAtOnce})`,
  );
}

/** Deletes dismissals, including snoozes, that were made more than `days` days ago. */
export async function purgeDismissals(db: Queryable, days: number): Promise<number> {
  return runInBatches(
    db,
    sql`DELETE FROM ${dismissals} WHERE (mesh_id, person_id, item) IN (
      SELECT mesh_id, person_id, item FROM ${dismissals} WHERE at < ${selectDaysAgo(days)} LIMIT ${rowsAtOnce})`,
  );
}

async function runInBatches(db: Queryable, statement: SQL): Promise<number> {
  for (let rows = 0; ; ) {
    const { count } = await db.execute(statement);
    rows += count;
    if (count < rowsAtOnce) return rows;
  }
}

function selectDaysAgo(days: number): SQL {
  return sql`now() - make_interval(days => ${days})`;
}

export interface TableSize {
  readonly name: string;
  readonly bytes: number;
  readonly indexBytes: number;
  readonly rows: number;
  readonly deadRows: number;
  readonly vacuumedAt: Date | null;
}

/** Lists the largest tables, largest first, with the number of dead rows in each. */
export async function listTableSizes(db: Queryable, limit: number): Promise<TableSize[]> {
  const rows = await db.execute<Record<string, string | null>>(sql`
    SELECT relname AS name, pg_total_relation_size(relid) AS bytes, pg_indexes_size(relid) AS index_bytes,
           n_live_tup AS rows, n_dead_tup AS dead_rows,
           (extract(epoch FROM greatest(last_vacuum, last_autovacuum)) * 1000)::bigint AS vacuumed_ms
    FROM pg_stat_user_tables WHERE schemaname = current_schema()
    ORDER BY pg_total_relation_size(relid) DESC, relname LIMIT ${limit}`);
  return rows.map((row) => ({
    name: String(row["name"]),
    bytes: Number(row["bytes"]),
    indexBytes: Number(row["index_bytes"]),
    rows: Number(row["rows"]),
    deadRows: Number(row["dead_rows"]),
    vacuumedAt: row["vacuumed_ms"] === null ? null : new Date(Number(row["vacuumed_ms"])),
  }));
}
