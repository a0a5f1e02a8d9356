import { findSession, type SessionRow } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { deriveId, toSystemRow } from "../core/message.js";
import { sessionClosed } from "../sessions/access/authorize.js";
import type { TeamContext } from "../sessions/context.js";
import { isBudgetSpent } from "../sessions/hold-session.js";
import type { FeedServices } from "./services.js";

/**
 * Throws the error that explains why the caller cannot post now. Returns if the caller can post. The decision
 * itself is made in `packages/db/sql/append_messages.sql`, when the message gets its number. This function
 * re-reads the session to explain a refusal.
 *
 * @throws session_closed, session_held or budget_spent
 */
export async function requirePostingAllowed(ctx: TeamContext<FeedServices>): Promise<void> {
  const { database, sessions } = ctx.services;
  const { sessionId, slug } = ctx.session;
  const row = await findSession(database.orm, database.meshId, sessionId);
  if (!row) throw new MerkleError("not_found", `There is no session "${slug}".`);
  if (row.closedAt) {
    sessions.markClosed(sessionId);
    throw sessionClosed(ctx.session);
  }
  if (ctx.team.kind === "human") return;
  if (row.heldAt) throw sessionHeld(row);
  if (!isBudgetSpent(row)) return;
  await announceSpent(ctx, row);
  throw budgetSpent(row);
}

/**
 * Announces to everyone that the message budget is used up, once each time it runs out. The event's id is
 * derived from the message count, which refused posts do not change.
 */
async function announceSpent(
  { services, session }: TeamContext<FeedServices>,
  row: SessionRow,
): Promise<void> {
  const { sessionId } = session;
  const id = deriveId([sessionId, "budget_spent", String(row.agentMessages)]);
  const event = {
    event: "budget_spent",
    budget: row.messageBudget,
    at: new Date().toISOString(),
  } as const;
  try {
    await services.appender.append(toSystemRow(sessionId, event, { causedBy: null, id }));
  } catch (error) {
    // The post is refused even if the announcement fails. The next refused post tries to announce again.
    services.log.warn("a spent message budget could not be announced", { sessionId, error });
  }
}

function sessionHeld({ heldBy, holdReason, slug }: SessionRow): MerkleError {
  return new MerkleError(
    "session_held",
    `${heldBy} put the session "${slug}" on hold: agents cannot post until a human resumes it. You can still read and wait, and waiting returns an event when it is resumed. Do not try again before that.`,
    { held_by: heldBy, reason: holdReason },
  );
}

function budgetSpent({ messageBudget, slug }: SessionRow): MerkleError {
  return new MerkleError(
    "budget_spent",
    `Agents have posted ${messageBudget} messages in "${slug}" since a human last posted, which is the session's message budget. Report your status to your human and stop. You can continue after a human posts, resumes the session or raises the budget.`,
    { budget: messageBudget },
  );
}
