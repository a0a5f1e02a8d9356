import { eq, lt, sql } from "drizzle-orm";
import { nudges } from "../core/schema.js";
import type { Queryable } from "../core/transactions.js";

/** A question of one node to the others: whom to wake, and for whom. */
export interface NudgeRow {
  readonly nudgeId: string;
  readonly sessionId: string;
  readonly byName: string;
  readonly byHuman: boolean;
  readonly peerIds: readonly string[];
}

/** By node, the wake paths that it ran for each peer. */
export type NudgeAnswers = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export async function insertNudge(db: Queryable, { peerIds, ...nudge }: NudgeRow): Promise<void> {
  await db.insert(nudges).values({ ...nudge, peerIds });
}

export async function findNudge(
  db: Queryable,
  nudgeId: string,
): Promise<(NudgeRow & { readonly answers: NudgeAnswers }) | null> {
  const [row] = await db.select().from(nudges).where(eq(nudges.nudgeId, nudgeId));
  // Both columns are written by this file only.
  return row ? { ...row, peerIds: row.peerIds as string[], answers: row.answers as NudgeAnswers } : null;
}

/** Adds the answer of one node, unless the node that asked has stopped waiting. */
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

/** Deletes nudges of nodes that died before they could. */
export async function purgeNudges(db: Queryable, olderThanSeconds: number): Promise<void> {
  await db
    .delete(nudges)
    .where(lt(nudges.createdAt, sql`now() - make_interval(secs => ${olderThanSeconds})`));
}
