import {
  countAgentTeams,
  endHold,
  findSession,
  forgetTokens,
  lockFeed,
  lockSession,
  type SessionRow,
  saveHold,
} from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "./context.js";
import { changeSessionSettings, toSessionSettings } from "./session-settings.js";

/**
 * Keeps agents from posting until a human resumes the session, and announces the hold (HOLD-2). An existing hold is not
 * changed.
 */
export async function holdSession(
  ctx: TeamContext<SessionServices>,
  input: ParsedInputOf<"hold_session">,
): Promise<OutputOf<"hold_session">> {
  const { database, channels } = ctx.services;
  const { sessionId, slug } = ctx.session;

  return ctx.write(async ({ tx, announce, afterCommit }) => {
    await lockSession(tx, sessionId);
    const row = await findSession(tx, database.meshId, sessionId);
    if (!row) throw new MerkleError("not_found", `There is no session "${slug}".`);
    const teams = await countAgentTeams(tx, sessionId);
    const earlier = toHeld(row);
    if (earlier) return { held: earlier, teams };

    const hold = { by: ctx.team.name, reason: input.reason ?? null, at: new Date() };
    // No message can be posted between this call and the commit, so every message before the event was posted
    // before the hold.
    await saveHold(tx, sessionId, hold);
    const held = { ...hold, at: hold.at.toISOString() };
    const { sequence } = await announce(
      sessionId,
      { event: "session_held", ...held },
      { causedBy: ctx.team.peer.peerId },
    );
    afterCommit(() => channels.announceChange(sessionId, "session", sequence));
    return { held, teams };
  });
}

/** Returns a session's hold, or null if the session is not on hold. */
export function toHeld(row: SessionRow): OutputOf<"get_session">["held"] {
  if (!row.heldAt) return null;
  return { by: row.heldBy ?? "", reason: row.holdReason, at: row.heldAt.toISOString() };
}

/**
 * Ends a hold and resets the counts of messages and tokens used by agents (HOLD-5, BUDGET-5, USAGE-5).
 * Announces the end if agents could not post before.
 */
export async function resumeSession(
  ctx: TeamContext<SessionServices>,
  input: ParsedInputOf<"resume_session">,
): Promise<OutputOf<"resume_session">> {
  const { database, channels } = ctx.services;
  const { sessionId, slug } = ctx.session;

  return ctx.write(async (write) => {
    const { tx, announce, afterCommit } = write;
    await lockSession(tx, sessionId);
    const row = await findSession(tx, database.meshId, sessionId);
    const gate = await lockFeed(tx, sessionId);
    if (!row || !gate) throw new MerkleError("not_found", `There is no session "${slug}".`);
    const old = toSessionSettings(row.settings);
    const message_budget = input.message_budget ?? old.message_budget;
    const { name: by, peer } = ctx.team;
    const settings = { message_budget };
    await changeSessionSettings(write, { sessionId, by, causedBy: peer.peerId, old, settings });
    await endHold(tx, sessionId);
    await forgetTokens(tx, sessionId);
    afterCommit(() => ctx.services.mesh.announce("attention", sessionId));

    const resumed = gate.heldAt !== null || isBudgetSpent(gate);
    if (resumed) {
      const { sequence } = await announce(
        sessionId,
        { event: "session_resumed", by: ctx.team.name, at: new Date().toISOString() },
        { causedBy: ctx.team.peer.peerId },
      );
      afterCommit(() => channels.announceChange(sessionId, "session", sequence));
    }
    return { resumed, message_budget };
  });
}

/** Returns whether agents have posted as many messages as the budget allows since a human last posted. */
export function isBudgetSpent({
  messageBudget,
  agentMessages,
  agentMessagesAtHuman,
}: Pick<SessionRow, "messageBudget" | "agentMessages" | "agentMessagesAtHuman">): boolean {
  return messageBudget > 0 && agentMessages - agentMessagesAtHuman >= messageBudget;
}
