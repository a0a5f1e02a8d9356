import type { Write } from "../../core/write.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SessionServices } from "../context.js";

/** Tells who follows a session that its roster reads differently, where no event of the feed says so (WS-8). */
export function announceRoster({ channels }: Pick<SessionServices, "channels">, sessionId: string): void {
  channels.announceChange(sessionId, "roster", channels.find(sessionId)?.head ?? 0);
}

/** Tells a session that a team has joined it, and returns the sequence of that. */
export async function announceJoined(
  { services, session }: { readonly services: SessionServices; readonly session: SessionIdentity },
  write: Write,
  { name, peerId, at }: { name: string; peerId: string; at: Date },
): Promise<number> {
  const { sequence } = await write.announce(
    session.sessionId,
    { event: "team_joined", team: name, at: at.toISOString() },
    { causedBy: peerId },
  );
  write.afterCommit(() => services.channels.announceChange(session.sessionId, "roster", sequence));
  return sequence;
}
