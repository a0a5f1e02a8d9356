import { listTeamIds } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { Write } from "../../core/write.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SessionServices } from "../context.js";

/** Tells who follows a session that its roster reads differently, where no event of the feed says so (WS-8). */
export function announceRoster({ channels }: Pick<SessionServices, "channels">, sessionId: string): void {
  channels.announceChange(sessionId, "roster", channels.find(sessionId)?.head ?? 0);
}

/** The priority of what ends the waits of everyone in a session of few teams, and of the convener in any (DELIVER-4). */
export async function priorityAmongFew(
  { tx }: Pick<Write, "tx">,
  sessionId: string,
): Promise<"low" | undefined> {
  return toPriority(await listTeamIds(tx, sessionId, limits.endsWaitsTeamsMax + 1));
}

/** A convener that nobody else is with waits for just this, and is woken (DELIVER-4). */
async function priorityOfJoining(
  { tx }: Pick<Write, "tx">,
  { sessionId, createdByTeamId }: SessionIdentity,
  teamId: string,
): Promise<"now" | "low" | undefined> {
  const teamIds = await listTeamIds(tx, sessionId, limits.endsWaitsTeamsMax + 1);
  const isOther = (id: string) => id !== createdByTeamId && id !== teamId;
  return teamIds.some(isOther) ? toPriority(teamIds) : "now";
}

function toPriority({ length }: readonly string[]): "low" | undefined {
  return length > limits.endsWaitsTeamsMax ? "low" : undefined;
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
    { causedBy: peerId, priority: await priorityOfJoining(write, session, teamId) },
  );
  write.afterCommit(() => services.channels.announceChange(session.sessionId, "roster", sequence));
  return sequence;
}
