import type { SessionServices } from "../context.js";

/** Tells who follows a session that its roster reads differently, where no event of the feed says so (WS-8). */
export function announceRoster({ channels }: Pick<SessionServices, "channels">, sessionId: string): void {
  channels.announceChange(sessionId, "roster", channels.find(sessionId)?.head ?? 0);
}
