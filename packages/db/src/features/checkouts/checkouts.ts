import { sql } from "drizzle-orm";
import type { Queryable } from "../../core/transactions.js";

/** Where an agent works. The broker stores what the agent's side reports, and reads none of it. */
export interface StoredCheckout {
  readonly repository: string;
  readonly branch: string | null;
  readonly worktree: string | null;
  readonly base: string | null;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly pull_request: string | null;
}

export interface CheckoutReport {
  readonly sessionId: string;
  readonly peerId: string;
  readonly checkout: StoredCheckout;
}

/**
 * Stores a peer's checkout in place of its previous one for the same task. Returns the task's number: the one that the
 * peer claimed last, unless it finished that task before its previous report. 0 if there is none.
 */
export async function saveCheckout(
  tx: Queryable,
  { sessionId, peerId, checkout }: CheckoutReport,
): Promise<number> {
  const [row] = await tx.execute<{ task: number }>(sql`
    WITH last AS (
      SELECT number, state, updated_at FROM tasks
      WHERE session_id = ${sessionId} AND holder_peer_id = ${peerId} AND claimed_at IS NOT NULL
      ORDER BY claimed_at DESC, number DESC LIMIT 1
    ), held AS (
      SELECT number FROM last WHERE state IN ('claimed', 'in_review') OR updated_at > coalesce(
        (SELECT max(reported_at) FROM checkouts WHERE session_id = ${sessionId} AND peer_id = ${peerId}), '-infinity')
    )
    INSERT INTO checkouts AS c (session_id, peer_id, task, checkout, reported_at)
    VALUES (${sessionId}, ${peerId}, coalesce((SELECT number FROM held), 0), ${JSON.stringify(checkout)}::text::jsonb, now())
    ON CONFLICT (session_id, peer_id, task) DO UPDATE SET checkout = excluded.checkout, reported_at = excluded.reported_at
    RETURNING task`);
  return row?.task ?? 0;
}

export interface CheckoutRow {
  readonly sessionId: string;
  readonly peerId: string;
  readonly team: string;
  readonly name: string | null;
  /** Number of the task, or 0. */
  readonly task: number;
  readonly checkout: StoredCheckout;
  readonly reportedAt: Date;
}

export interface CheckoutFilter {
  readonly meshId: string;
  /** The session whose checkouts are listed. Null for all open sessions. */
  readonly sessionId: string | null;
  readonly limit: number;
}

/** Lists the last checkout of each peer and task, latest first. */
export async function listCheckouts(
  db: Queryable,
  { meshId, sessionId, limit }: CheckoutFilter,
): Promise<readonly CheckoutRow[]> {
  const rows = await db.execute<Omit<CheckoutRow, "reportedAt"> & { reportedAt: string }>(sql`
    SELECT c.session_id AS "sessionId", c.peer_id AS "peerId", t.name AS team, p.name, c.task, c.checkout,
           to_json(c.reported_at) #>> '{}' AS "reportedAt"
    FROM checkouts c
    JOIN sessions s ON s.session_id = c.session_id
    JOIN feeds f ON f.session_id = c.session_id
    JOIN peers p ON p.session_id = c.session_id AND p.peer_id = c.peer_id
    JOIN teams t ON t.session_id = p.session_id AND t.team_id = p.team_id
    WHERE s.mesh_id = ${meshId} AND ${sessionId === null ? sql`f.closed_at IS NULL` : sql`s.session_id = ${sessionId}`}
    ORDER BY c.reported_at DESC, c.session_id, c.peer_id, c.task LIMIT ${limit}`);
  return rows.map((row) => ({ ...row, reportedAt: new Date(row.reportedAt) }));
}
