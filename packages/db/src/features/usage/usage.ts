import { type SQL, sql } from "drizzle-orm";
import type { Queryable, Transaction } from "../../core/transactions.js";

/** The number of tokens used with one model. */
export interface UsedTokens {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Cost in millionths of a dollar. Null if unknown. */
  readonly costMicros: number | null;
}

export interface UsageReport {
  readonly sessionId: string;
  /** The reporting peer and its team. Null for a job. */
  readonly reporter: { readonly teamId: string; readonly peerId: string } | null;
  /**
   * Number of the task that the usage belongs to. Null to use the task that the peer claimed last, if any.
   */
  readonly task: number | null;
  readonly used: readonly UsedTokens[];
}

/** The peer id under which jobs' usage is stored. */
const ofJobs = "00000000-0000-0000-0000-000000000000";

/** Adds usage to the day's totals. Returns the number of the task that the usage was counted for, or 0. */
export async function addUsage(
  tx: Queryable,
  { sessionId, reporter, task, used }: UsageReport,
): Promise<number> {
  const [claimed] =
    task !== null || reporter === null
      ? [{ number: task ?? 0 }]
      : await tx.execute<{ number: number }>(sql`
          SELECT number FROM tasks WHERE session_id = ${sessionId} AND holder_peer_id = ${reporter.peerId} AND state = 'claimed'
          ORDER BY claimed_at DESC LIMIT 1`);
  const number = claimed?.number ?? 0;
  // Uses one statement per model, so that no statement updates the same row twice.
  for (const each of used) {
    await tx.execute(sql`
      INSERT INTO usage AS u (session_id, day, peer_id, task, model, source, reports, input_tokens, output_tokens,
                              cache_read_tokens, cache_write_tokens, cost_micros, costed_reports)
      VALUES (${sessionId}, (now() AT TIME ZONE 'UTC')::date, ${reporter?.peerId ?? ofJobs}, ${number}, ${each.model},
              ${reporter ? "agent" : "job"}, 1, ${each.inputTokens}, ${each.outputTokens}, ${each.cacheReadTokens},
              ${each.cacheWriteTokens}, ${each.costMicros ?? 0}, ${each.costMicros === null ? 0 : 1})
      ON CONFLICT (session_id, day, peer_id, task, model, source) DO UPDATE SET
        reports = u.reports + 1,
        input_tokens = u.input_tokens + excluded.input_tokens,
        output_tokens = u.output_tokens + excluded.output_tokens,
        cache_read_tokens = u.cache_read_tokens + excluded.cache_read_tokens,
        cache_write_tokens = u.cache_write_tokens + excluded.cache_write_tokens,
        cost_micros = u.cost_micros + excluded.cost_micros,
        costed_reports = u.costed_reports + excluded.costed_reports`);
  }
  return number;
}

/** Tokens used by agents since a human last let them continue, including the current report. */
export interface BudgetUsage {
  readonly session: number;
  /** Tokens used by the reporting team. 0 for a job. */
  readonly team: number;
  readonly teamName: string | null;
  /** True if a human has already been asked whether the agents may continue. */
  readonly isNear: boolean;
}

/** Counts tokens against the budgets of a session and a team. */
export async function countTokens(
  tx: Transaction,
  { sessionId, teamId, tokens }: { sessionId: string; teamId: string | null; tokens: number },
): Promise<BudgetUsage> {
  const [row] = await tx.execute<{
    session: number;
    near: boolean;
    team: number | null;
    name: string | null;
  }>(sql`
    WITH s AS (
      UPDATE sessions SET tokens_used = tokens_used + ${tokens} WHERE session_id = ${sessionId}
      RETURNING tokens_used - tokens_at_human AS used, tokens_near_at IS NOT NULL AS near
    ), t AS (
      UPDATE teams SET tokens_used = tokens_used + ${tokens} WHERE session_id = ${sessionId} AND team_id = ${teamId}::uuid
      RETURNING tokens_used - tokens_at_human AS used, name
    )
    SELECT s.used::float8 AS session, s.near, t.used::float8 AS team, t.name FROM s LEFT JOIN t ON true`);
  return {
    session: row?.session ?? 0,
    team: row?.team ?? 0,
    teamName: row?.name ?? null,
    isNear: row?.near ?? false,
  };
}

export interface UsageSumsRow {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly cost_micros: number;
  readonly costed_reports: number;
  readonly reports: number;
}

export interface UsageGroupRow extends UsageSumsRow {
  readonly name: string;
  readonly session: string | null;
  readonly task: number | null;
  readonly source: "agent" | "job";
}

export interface UsageFilter {
  readonly meshId: string;
  readonly sessionId: string | null;
  readonly since: string | null;
  readonly until: string | null;
}

const sums = sql`sum(u.input_tokens)::float8 AS input_tokens, sum(u.output_tokens)::float8 AS output_tokens,
  sum(u.cache_read_tokens)::float8 AS cache_read_tokens, sum(u.cache_write_tokens)::float8 AS cache_write_tokens,
  sum(u.cost_micros)::float8 AS cost_micros, sum(u.costed_reports)::float8 AS costed_reports, sum(u.reports)::float8 AS reports`;

/** The SQL for each grouping: a group's name, and the session slug and task number that it links to. */
const groupings = {
  session: { name: sql`s.title`, session: sql`s.slug`, task: sql`NULL::integer` },
  team: { name: sql`coalesce(t.name, 'jobs')`, session: sql`NULL`, task: sql`NULL::integer` },
  peer: {
    name: sql`coalesce(CASE WHEN p.name IS NULL THEN t.name ELSE t.name || '/' || p.name END, 'jobs')`,
    session: sql`NULL`,
    task: sql`NULL::integer`,
  },
  task: { name: sql`coalesce(k.title, '')`, session: sql`s.slug`, task: sql`nullif(u.task, 0)` },
  model: { name: sql`u.model`, session: sql`NULL`, task: sql`NULL::integer` },
  day: { name: sql`u.day::text`, session: sql`NULL`, task: sql`NULL::integer` },
} as const satisfies Record<string, Record<"name" | "session" | "task", SQL>>;

export type UsageGrouping = keyof typeof groupings;

function buildFromClause({ meshId, sessionId, since, until }: UsageFilter): SQL {
  return sql`FROM usage u JOIN sessions s ON s.session_id = u.session_id
    LEFT JOIN peers p ON p.session_id = u.session_id AND p.peer_id = u.peer_id
    LEFT JOIN teams t ON t.session_id = p.session_id AND t.team_id = p.team_id
    LEFT JOIN tasks k ON k.session_id = u.session_id AND k.number = u.task
    WHERE s.mesh_id = ${meshId} AND (${sessionId}::uuid IS NULL OR u.session_id = ${sessionId}::uuid)
      AND u.day >= coalesce(${since}::date, '-infinity') AND u.day <= coalesce(${until}::date, 'infinity')`;
}

/** The total usage, and the first groups of a list. `groups` is the number of all groups. */
export interface UsageList {
  readonly rows: readonly UsageGroupRow[];
  readonly groups: number;
  /** Sum over all groups. Null if nothing was used. */
  readonly total: UsageSumsRow | null;
}

/**
 * Sums usage by the requested grouping, highest usage first. If grouped by day, the latest day comes first.
 */
export async function listUsage(
  db: Queryable,
  filter: UsageFilter,
  by: UsageGrouping,
  limit: number,
): Promise<UsageList> {
  const { name, session, task } = groupings[by];
  const order =
    by === "day"
      ? sql`g.name DESC`
      : sql`g.input_tokens + g.output_tokens + g.cache_write_tokens DESC, g.name`;
  const rows = await db.execute<
    Record<string, unknown> & UsageGroupRow & { groups: number; total: UsageSumsRow }
  >(sql`
    WITH g AS (
      SELECT ${name} AS name, ${session} AS session, ${task} AS task, u.source, ${sums} ${buildFromClause(filter)}
      GROUP BY 1, 2, 3, 4)
    SELECT g.*, (SELECT count(*)::int FROM g) AS groups, (SELECT to_json(t) FROM (SELECT ${sums} FROM g u) t) AS total
    FROM g ORDER BY ${order}, g.source LIMIT ${limit}`);
  const [first] = rows;
  return { rows, groups: first?.groups ?? 0, total: first?.total ?? null };
}
