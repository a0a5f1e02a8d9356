import { endHold, findSession, lockFeed, lockSession, type SessionRow } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { SessionServices, TeamContext } from "./context.js";
import { toSessionSettings } from "./session-settings.js";
import { changeSessionSettings } from "./settings/change-session-settings.js";

/** Lets agents go on: ends a hold, and counts their messages anew (HOLD-5, BUDGET-5). Says so where something held them back. */
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

/** Whether agents have said as much as they may since the last human word. */
export function isBudgetSpent({
  messageBudget,
  agentMessages,
  agentMessagesAtHuman,
}: Pick<SessionRow, "messageBudget" | "agentMessages" | "agentMessagesAtHuman">): boolean {
  return messageBudget > 0 && agentMessages - agentMessagesAtHuman >= messageBudget;
}
