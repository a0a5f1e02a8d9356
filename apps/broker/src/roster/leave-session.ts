import { setLeft } from "@merkle/db";
import { unauthorized } from "../access/authorize.js";
import type { OutputOf, TeamContext } from "../context.js";

/** Ends a team's part in a session and tells the others; its row in the roster stays (JOIN-6). */
export async function leaveSession(ctx: TeamContext): Promise<OutputOf<"leave_session">> {
  const { channels, credentials } = ctx.services;
  const { sessionId } = ctx.session;
  const { teamId, name, peer, credential } = ctx.team;

  return ctx.write(async ({ tx, announce, afterCommit }) => {
    const leftAt = new Date();
    if (!(await setLeft(tx, sessionId, teamId, leftAt)))
      throw unauthorized(`The team "${name}" has left this session`);
    const { sequence } = await announce(
      sessionId,
      { event: "team_left", team: name, at: leftAt.toISOString() },
      { causedBy: peer.peerId, afterClosing: true },
    );
    afterCommit(() => {
      credentials.forget(sessionId, credential);
      for (const wait of peer.waits) wait.expire();
      channels.announceChange(sessionId, "roster", sequence);
    });
    return { session_id: sessionId, team_id: teamId, left_at: leftAt.toISOString() };
  });
}
