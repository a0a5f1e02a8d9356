import { type SQL, sql } from "drizzle-orm";
import { dismissals, jobs, peers, progressEntries } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/** A statement has 5 s (DB-10), and what a year has left takes longer. */
const rowsAtOnce = 5_000;

/** Deletes progress entries that are so old, and returns how many. */
export async function purgeProgress(db: Queryable, days: number): Promise<number> {
  return inBatches(
    db,
    sql`DELETE FROM ${progressEntries} WHERE (mesh_id, id) IN (
      SELECT mesh_id, id FROM ${progressEntries} WHERE created_at < ${daysAgo(days)} LIMIT ${rowsAtOnce})`,
  );
}

/** Takes from peers that nobody has seen for so long what tells of a machine and of what was done there. */
export async function purgePresence(db: Queryable, days: number): Promise<number> {
  return inBatches(
    db,
    sql`UPDATE ${peers} SET cwd = NULL, machine = NULL, summary = NULL, summary_at = NULL,
        declared_status = NULL, declared_reason = NULL, declared_at = NULL
      WHERE (session_id, peer_id) IN (
        SELECT session_id, peer_id FROM ${peers}
        WHERE coalesce(left_at, last_seen_at, joined_at) < ${daysAgo(days)}
          AND num_nonnulls(cwd, machine, summary, declared_status) > 0 LIMIT ${rowsAtOnce})`,
  );
}

/** Forgets what jobs that ended so long ago had printed last. */
export async function purgeJobOutput(db: Queryable, days: number): Promise<number> {
  return inBatches(
    db,
    sql`UPDATE ${jobs} SET error_tail = NULL WHERE (mesh_id, number) IN (
      SELECT mesh_id, number FROM ${jobs}
      WHERE completed_at < ${daysAgo(days)} AND error_tail IS NOT NULL LIMIT ${rowsAtOnce})`,
  );
}

/** Forgets that something was dismissed so long ago, for good or until later. */
export async function purgeDismissals(db: Queryable, days: number): Promise<number> {
  return inBatches(
    db,
    sql`DELETE FROM ${dismissals} WHERE (mesh_id, person_id, item) IN (
      SELECT mesh_id, person_id, item FROM ${dismissals} WHERE at < ${daysAgo(days)} LIMIT ${rowsAtOnce})`,
  );
}

async function inBatches(db: Queryable, statement: SQL): Promise<number> {
  for (let rows = 0; ; ) {
    const { count } = await db.execute(statement);
    rows += count;
    if (count < rowsAtOnce) return rows;
  }
}

function daysAgo(days: number): SQL {
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

/** The largest tables, the largest first, with what waits in them to be freed. */
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
