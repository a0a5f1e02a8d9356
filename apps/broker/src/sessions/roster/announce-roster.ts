import { hasOtherTeams } from "@merkle/db";
import type { Write } from "../../core/write.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SessionServices } from "../context.js";

/** Tells who follows a session that its roster reads differently, where no event of the feed says so (WS-8). */
export function announceRoster({ channels }: Pick<SessionServices, "channels">, sessionId: string): void {
  channels.announceChange(sessionId, "roster", channels.find(sessionId)?.head ?? 0);
}

/**
 * How urgent a coming or going is: it wakes a convener that nobody else is with, who waits for just this, and nobody in a
 * fuller roster (DELIVER-4).
 */
export async function rosterPriority(
  { tx }: Pick<Write, "tx">,
  { sessionId, createdByTeamId }: SessionIdentity,
  teamId: string,
): Promise<"now" | undefined> {
  const isAlone = !(await hasOtherTeams(tx, sessionId, [createdByTeamId, teamId]));
  return isAlone ? "now" : undefined;
}

/** Tells a session that a team has joined it, and returns the sequence of that. */
export async function announceJoined(
  { services, session }: { readonly services: SessionServices; readonly session: SessionIdentity },
  write: Write,
  { teamId, name, peerId, at }: { teamId: string; name: string; peerId: string; at: Date },
): Promise<number> {
  const { sequence } = await write.announce(
    session.sessionId,
    { event: "team_joined", team: name, at: at.toISOString() },
    { causedBy: peerId, priority: await rosterPriority(write, session, teamId) },
  );
  write.afterCommit(() => services.channels.announceChange(session.sessionId, "roster", sequence));
  return sequence;
}
