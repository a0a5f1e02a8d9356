import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { claims, sessions, tasks } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";
import type { TaskRow } from "./tasks.js";

export type ClaimRow = typeof claims.$inferSelect;

/** Identifies a claim by its number within its session. */
export interface ClaimKey {
  readonly sessionId: string;
  readonly number: number;
}

/**
 * Condition that a claim is active. An expired claim ends immediately, even if it has not been marked as
 * handed back yet.
 */
const isActive = and(isNull(claims.handedBackAt), sql`coalesce(${claims.expiresAt} > now(), true)`);

/** Lists a session's active claims, oldest first. */
export async function listClaimRows(db: Queryable, sessionId: string): Promise<ClaimRow[]> {
  return db
    .select()
    .from(claims)
    .where(and(eq(claims.sessionId, sessionId), isActive))
    .orderBy(asc(claims.number));
}

/** Assigns the numbers of a session's next claims, and returns the first of them. */
async function drawClaimNumbers(tx: Transaction, sessionId: string, count: number): Promise<number> {
  const [counter] = await tx
    .update(sessions)
    .set({ lastClaim: sql`${sessions.lastClaim} + ${count}` })
    .where(eq(sessions.sessionId, sessionId))
    .returning({ last: sessions.lastClaim });
  if (!counter) throw new TypeError("The session of the claim was not found.");
  return counter.last - count + 1;
}

export interface NewClaims {
  readonly sessionId: string;
  readonly scopes: readonly string[];
  readonly repository: string | null;
  readonly shared: boolean;
  readonly reason: string | null;
  readonly holder: string;
  readonly peerId: string;
  /** Lifetime of the claims. Null to keep them while their holder is active. */
  readonly seconds: number | null;
}

/**
 * Inserts a claim for each scope, in order. Replaces existing claims by the same peer on the same scopes. The
 * caller must hold the lock on the session, so that overlapping claims cannot race.
 */
export async function insertClaims(
  tx: Transaction,
  { scopes, seconds, ...claim }: NewClaims,
): Promise<ClaimRow[]> {
  const { sessionId, peerId } = claim;
  if (scopes.length === 0) return [];
  const first = await drawClaimNumbers(tx, sessionId, scopes.length);
  await tx
    .delete(claims)
    .where(
      and(eq(claims.sessionId, sessionId), eq(claims.peerId, peerId), inArray(claims.scope, [...scopes])),
    );
  const expiresAt = seconds === null ? null : sql`now() + make_interval(secs => ${seconds})`;
  return tx
    .insert(claims)
    .values(scopes.map((scope, index) => ({ ...claim, scope, number: first + index, expiresAt })))
    .returning();
}

/**
 * Ends the claims on a task's files and returns them, except for files of another task that the same peer
 * holds.
 */
export async function deleteTaskClaims(
  tx: Transaction,
  {
    sessionId,
    number,
    holderPeerId,
    files,
  }: Pick<TaskRow, "sessionId" | "number" | "holderPeerId" | "files">,
): Promise<ClaimRow[]> {
  if (holderPeerId === null || files.length === 0) return [];
  const isOfOtherTask = sql`EXISTS (
    SELECT FROM ${tasks} t WHERE t.session_id = ${sessionId} AND t.holder_peer_id = ${holderPeerId} AND t.number <> ${number}
      AND t.state IN ('claimed', 'in_review') AND ${claims.scope} = ANY (t.files))`;
  return tx
    .delete(claims)
    .where(
      and(
        eq(claims.sessionId, sessionId),
        eq(claims.peerId, holderPeerId),
        inArray(claims.scope, [...files]),
        isActive,
        sql`NOT ${isOfOtherTask}`,
      ),
    )
    .returning();
}

/** Ends an active claim and returns it. Returns null if the claim is no longer active. */
export async function deleteClaim(
  tx: Transaction,
  { sessionId, number }: ClaimKey,
): Promise<ClaimRow | null> {
  const [row] = await tx
    .delete(claims)
    .where(and(eq(claims.sessionId, sessionId), eq(claims.number, number), isActive))
    .returning();
  return row ?? null;
}

/** Removes a claim's reason if it is still the text that was redacted. */
export async function redactClaimReason(
  tx: Transaction,
  { sessionId, number }: ClaimKey,
  reason: string | undefined,
): Promise<void> {
  if (reason === undefined) return;
  await tx
    .update(claims)
    .set({ reason: null })
    .where(and(eq(claims.sessionId, sessionId), eq(claims.number, number), eq(claims.reason, reason)));
}

/** Deletes claims that were handed back more than `hours` hours ago. */
export async function purgeClaims(db: Queryable, hours: number): Promise<number> {
  const { count } = await db
    .delete(claims)
    .where(sql`${claims.handedBackAt} < now() - make_interval(hours => ${hours})`);
  return count;
}
