import { listTeamIds } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { Write } from "../../core/write.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SessionServices } from "../context.js";

/** Notifies a session's followers that its roster has changed without an event in the feed (WS-8). */
export function announceRoster({ channels }: Pick<SessionServices, "channels">, sessionId: string): void {
  channels.announceChange(sessionId, "roster", channels.find(sessionId)?.head ?? 0);
}

/**
 * Returns the priority of an event that ends waits. The event ends the waits of all teams in a small session,
 * but only the convener's waits in a large session (DELIVER-4).
 */
export async function readEventPriority(
  { tx }: Pick<Write, "tx">,
  sessionId: string,
): Promise<"low" | undefined> {
  return toPriority(await listTeamIds(tx, sessionId, limits.endsWaitsTeamsMax + 1));
}

/**
 * Returns the priority of a join event. A convener who is alone in the session is waiting for exactly this
 * event, so the event wakes the convener (DELIVER-4).
 */
async function readJoinPriority(
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

/** Announces in the feed that a team has joined. Returns the sequence of the event. */
export async function announceJoined(
  { services, session }: { readonly services: SessionServices; readonly session: SessionIdentity },
  write: Write,
  { teamId, name, peerId, at }: { teamId: string; name: string; peerId: string; at: Date },
): Promise<number> {
  const { sequence } = await write.announce(
    session.sessionId,
    { event: "team_joined", team: name, at: at.toISOString() },
    { causedBy: peerId, priority: await readJoinPriority(write, session, teamId) },
  );
  write.afterCommit(() => services.channels.announceChange(session.sessionId, "roster", sequence));
  return sequence;
}
