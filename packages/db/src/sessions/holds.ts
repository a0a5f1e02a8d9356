import { and, count, eq, isNull, sql } from "drizzle-orm";
import { feeds, sessions, teams } from "../core/schema.js";
import type { Transaction } from "../core/transactions.js";

/** The state that decides whether agents may post in a feed. */
export interface FeedGate {
  readonly heldAt: Date | null;
  readonly messageBudget: number;
  readonly agentMessages: number;
  readonly agentMessagesAtHuman: number;
}

/**
 * Locks a feed until the transaction ends, so that no one can post in between. Returns the state that limits
 * agents' posts.
 */
export async function lockFeed(tx: Transaction, sessionId: string): Promise<FeedGate | null> {
  const [row] = await tx
    .select({
      heldAt: feeds.heldAt,
      messageBudget: feeds.messageBudget,
      agentMessages: feeds.agentMessages,
      agentMessagesAtHuman: feeds.agentMessagesAtHuman,
    })
    .from(feeds)
    .where(eq(feeds.sessionId, sessionId))
    .for("no key update");
  return row ?? null;
}

export interface NewHold {
  readonly by: string;
  readonly reason: string | null;
  readonly at: Date;
}

export async function saveHold(tx: Transaction, sessionId: string, hold: NewHold): Promise<void> {
  const { by: heldBy, reason: holdReason, at: heldAt } = hold;
  await tx.update(sessions).set({ heldBy, holdReason }).where(eq(sessions.sessionId, sessionId));
  await tx.update(feeds).set({ heldAt }).where(eq(feeds.sessionId, sessionId));
}

/** Ends a hold, if there is one, and restarts the count of messages by agents. */
export async function endHold(tx: Transaction, sessionId: string): Promise<void> {
  await tx.update(sessions).set({ heldBy: null, holdReason: null }).where(eq(sessions.sessionId, sessionId));
  await tx
    .update(feeds)
    .set({ heldAt: null, agentMessagesAtHuman: sql`${feeds.agentMessages}` })
    .where(eq(feeds.sessionId, sessionId));
}

export async function setMessageBudget(
  tx: Transaction,
  sessionId: string,
  messageBudget: number,
): Promise<void> {
  await tx.update(feeds).set({ messageBudget }).where(eq(feeds.sessionId, sessionId));
}

/** Counts the agents' teams that are currently in a session. */
export async function countAgentTeams(tx: Transaction, sessionId: string): Promise<number> {
  const [row] = await tx
    .select({ teams: count() })
    .from(teams)
    .where(and(eq(teams.sessionId, sessionId), eq(teams.kind, "agent"), isNull(teams.leftAt)));
  return row?.teams ?? 0;
}
