import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { claims, sessions } from "../../core/schema.js";
import type { Queryable, Transaction } from "../../core/transactions.js";

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

/**
 * Assigns the number of a session's next claim. Others who claim something in this session wait until the
 * transaction ends, so that overlapping claims cannot race.
 */
export async function drawClaimNumber(tx: Transaction, sessionId: string): Promise<number> {
  const [counter] = await tx
    .update(sessions)
    .set({ lastClaim: sql`${sessions.lastClaim} + 1` })
    .where(eq(sessions.sessionId, sessionId))
    .returning({ number: sessions.lastClaim });
  if (!counter) throw new TypeError("The session of the claim was not found.");
  return counter.number;
}

export interface NewClaim extends ClaimKey {
  readonly scope: string;
  readonly repository: string | null;
  readonly shared: boolean;
  readonly reason: string | null;
  readonly holder: string;
  readonly peerId: string;
  /** Lifetime of the claim. Null to keep the claim while its holder is active. */
  readonly seconds: number | null;
}

/** Inserts a claim. Replaces an existing claim by the same peer on the same scope. */
export async function insertClaim(tx: Transaction, { seconds, ...claim }: NewClaim): Promise<ClaimRow> {
  await tx
    .delete(claims)
    .where(
      and(
        eq(claims.sessionId, claim.sessionId),
        eq(claims.peerId, claim.peerId),
        eq(claims.scope, claim.scope),
      ),
    );
  const expiresAt = seconds === null ? null : sql`now() + make_interval(secs => ${seconds})`;
  const [row] = await tx
    .insert(claims)
    .values({ ...claim, expiresAt })
    .returning();
  if (!row) throw new TypeError("A claim was not stored.");
  return row;
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
