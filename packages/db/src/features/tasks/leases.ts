import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { claims, feeds, peers, sessions, tasks, teams } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import type { ClaimKey, ClaimRow } from "./claims.js";
import { taskColumns } from "./task-columns.js";
import { noHolder, type TaskKey, type TaskRow } from "./tasks.js";

/** Tasks and claims are leased to the peer that holds them. Any activity by that peer renews the lease. */

/** A peer that holds tasks or claims, with the earliest time at which one of them was last renewed. */
export interface Holder {
  readonly peerId: string;
  readonly renewedAt: Date;
}

/** How long a holder may be absent before its tasks and claims are handed back. */
const grace = sql`make_interval(secs => coalesce((s.settings ->> 'claim_grace_s')::int, 900))`;

/**
 * Lists peers that hold a task or claim whose last renewal is older than a third of the session's grace
 * period.
 */
export async function listHolders(db: Queryable): Promise<Holder[]> {
  const rows = await db.execute<{ peer_id: string; renewed_ms: string }>(sql`
    SELECT h.peer_id, (extract(epoch FROM min(h.renewed_at)) * 1000)::bigint AS renewed_ms
    FROM (SELECT session_id, holder_peer_id AS peer_id, renewed_at FROM ${tasks} WHERE state IN ('claimed', 'in_review')
          UNION ALL
          SELECT session_id, peer_id, renewed_at FROM ${claims} WHERE handed_back_at IS NULL) h
    JOIN ${sessions} s ON s.session_id = h.session_id
    WHERE h.renewed_at < now() - ${grace} / 3
    GROUP BY h.peer_id`);
  return rows.map(({ peer_id, renewed_ms }) => ({
    peerId: peer_id,
    renewedAt: new Date(Number(renewed_ms)),
  }));
}

/**
 * Renews the leases of these holders to the times when they were last seen. Never moves a lease to an earlier
 * time.
 */
export async function renewHolders(
  db: Queryable,
  seen: readonly { readonly peerId: string; readonly seenAt: Date }[],
): Promise<void> {
  if (seen.length === 0) return;
  const rows = seen.map(({ peerId, seenAt }) => ({ peer_id: peerId, seen_at: seenAt.toISOString() }));
  const n = sql`json_to_recordset(${JSON.stringify(rows)}::text::json) AS n (peer_id uuid, seen_at timestamptz)`;
  await db.execute(sql`
    WITH of_tasks AS (
      UPDATE ${tasks} t SET renewed_at = greatest(t.renewed_at, n.seen_at)
      FROM ${n} WHERE t.holder_peer_id = n.peer_id AND t.state IN ('claimed', 'in_review')
    )
    UPDATE ${claims} c SET renewed_at = greatest(c.renewed_at, n.seen_at)
    FROM ${n} WHERE c.peer_id = n.peer_id AND c.handed_back_at IS NULL`);
}

/**
 * Returns an SQL condition that is true if the holder has left, or has been absent for longer than the
 * session's grace period. Time before `since` does not count as absence.
 */
function isGone(renewedAt: SQL, since: Date): SQL {
  return sql`(p.left_at IS NOT NULL OR tm.left_at IS NOT NULL
    OR greatest(${renewedAt}, ${since.toISOString()}::timestamptz) < now() - ${grace})`;
}

const joinOpenSession = (sessionId: SQL, peerId: SQL) => sql`
  JOIN ${sessions} s ON s.session_id = ${sessionId}
  JOIN ${feeds} f ON f.session_id = ${sessionId} AND f.closed_at IS NULL
  JOIN ${peers} p ON p.session_id = ${sessionId} AND p.peer_id = ${peerId}
  JOIN ${teams} tm ON tm.session_id = p.session_id AND tm.team_id = p.team_id`;

export interface LapsedKey {
  readonly kind: "task" | "claim";
  readonly sessionId: string;
  readonly number: number;
}

/** Condition that a claim is on a file of a claimed task, so that it ends when the task is handed back. */
const isOfClaimedTask = sql`EXISTS (
  SELECT FROM ${tasks} t WHERE t.session_id = c.session_id AND t.holder_peer_id = c.peer_id AND t.state = 'claimed'
    AND c.scope = ANY (t.files))`;

/**
 * Lists tasks and claims in open sessions that must be handed back: their holder has left or has been absent
 * for too long, or the claim has expired.
 */
export async function listLapsed(db: Queryable, since: Date, limit: number): Promise<LapsedKey[]> {
  const rows = await db.execute<{ kind: LapsedKey["kind"]; session_id: string; number: number }>(sql`
    SELECT 'task' AS kind, t.session_id, t.number
    FROM ${tasks} t ${joinOpenSession(sql`t.session_id`, sql`t.holder_peer_id`)}
    WHERE t.state = 'claimed' AND ${isGone(sql`t.renewed_at`, since)}
    UNION ALL
    SELECT 'claim', c.session_id, c.number
    FROM ${claims} c ${joinOpenSession(sql`c.session_id`, sql`c.peer_id`)}
    WHERE c.handed_back_at IS NULL AND (c.expires_at <= now() OR ${isGone(sql`c.renewed_at`, since)} AND NOT ${isOfClaimedTask})
    LIMIT ${limit}`);
  return rows.map(({ kind, session_id, number }) => ({ kind, sessionId: session_id, number }));
}

/**
 * Reopens a claimed task, and returns the task with its former holder. Returns null if the holder is back or
 * the task is no longer claimed.
 */
export async function handBackTask(tx: Transaction, key: TaskKey, since: Date): Promise<TaskRow | null> {
  const [task] = await tx
    .select(taskColumns)
    .from(tasks)
    .where(and(eq(tasks.sessionId, key.sessionId), eq(tasks.number, key.number), eq(tasks.state, "claimed")))
    .for("no key update");
  if (
    !task?.holderPeerId ||
    !(await hasHolderLeft(tx, task.sessionId, task.holderPeerId, task.renewedAt, since))
  )
    return null;
  const [now] = await tx
    .update(tasks)
    .set({ state: "open", ...noHolder, handedBackAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(eq(tasks.sessionId, key.sessionId), eq(tasks.number, key.number)))
    .returning({ updatedAt: tasks.updatedAt });
  return { ...task, ...now, waitsFor: [] };
}

/**
 * Ends a claim and returns it. `expired` is true if the claim's own lifetime had ended. Returns null if the
 * holder is back or the claim has already ended.
 */
export async function handBackClaim(
  tx: Transaction,
  key: ClaimKey,
  since: Date,
): Promise<{ claim: ClaimRow; isExpired: boolean } | null> {
  const isClaim = and(
    eq(claims.sessionId, key.sessionId),
    eq(claims.number, key.number),
    isNull(claims.handedBackAt),
  );
  const [claim] = await tx.select().from(claims).where(isClaim).for("no key update");
  if (!claim) return null;
  if (claim.expiresAt !== null && claim.expiresAt.getTime() <= Date.now()) {
    await tx.delete(claims).where(isClaim);
    return { claim, isExpired: true };
  }
  if (!(await hasHolderLeft(tx, claim.sessionId, claim.peerId, claim.renewedAt, since))) return null;
  await tx.update(claims).set({ handedBackAt: sql`now()` }).where(isClaim);
  return { claim, isExpired: false };
}

async function hasHolderLeft(
  tx: Transaction,
  sessionId: string,
  peerId: string,
  renewedAt: Date | null,
  since: Date,
): Promise<boolean> {
  const renewed = sql`${(renewedAt ?? since).toISOString()}::timestamptz`;
  const [row] = await tx.execute(sql`
    SELECT 1 FROM (SELECT ${sessionId}::uuid AS session_id, ${peerId}::uuid AS peer_id) h
    ${joinOpenSession(sql`h.session_id`, sql`h.peer_id`)}
    WHERE ${isGone(renewed, since)}`);
  return row !== undefined;
}
