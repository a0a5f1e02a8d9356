import { eq, lt, sql } from "drizzle-orm";
import { nudges } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/** A request from one node to the others to wake some peers, with the name of the peer or person who asks. */
export interface NudgeRow {
  readonly nudgeId: string;
  readonly sessionId: string;
  readonly byName: string;
  readonly byHuman: boolean;
  readonly peerIds: readonly string[];
}

/** For each node, the ways in which it tried to wake each peer. */
export type NudgeAnswers = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export async function insertNudge(db: Queryable, { peerIds, ...nudge }: NudgeRow): Promise<void> {
  await db.insert(nudges).values({ ...nudge, peerIds });
}

export async function findNudge(
  db: Queryable,
  nudgeId: string,
): Promise<(NudgeRow & { readonly answers: NudgeAnswers }) | null> {
  const [row] = await db.select().from(nudges).where(eq(nudges.nudgeId, nudgeId));
  // The casts are safe, because only this file writes these two columns.
  return row ? { ...row, peerIds: row.peerIds as string[], answers: row.answers as NudgeAnswers } : null;
}

/**
 * Stores a node's answer to a nudge. Does nothing if the nudge was deleted because the requesting node has
 * stopped waiting.
 */
export async function answerNudge(
  db: Queryable,
  nudgeId: string,
  nodeId: string,
  reached: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const answer = JSON.stringify({ [nodeId]: reached });
  await db
    .update(nudges)
    .set({ answers: sql`${nudges.answers} || ${answer}::text::jsonb` })
    .where(eq(nudges.nudgeId, nudgeId));
}

export async function deleteNudge(db: Queryable, nudgeId: string): Promise<void> {
  await db.delete(nudges).where(eq(nudges.nudgeId, nudgeId));
}

/** Deletes nudges whose nodes died before they could delete them. */
export async function purgeNudges(db: Queryable, olderThanSeconds: number): Promise<void> {
  await db
    .delete(nudges)
    .where(lt(nudges.createdAt, sql`now() - make_interval(secs => ${olderThanSeconds})`));
}
