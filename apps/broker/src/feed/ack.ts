import type { OutputOf, ParsedInputOf, TeamContext } from "../context.js";
import { acknowledge, refuseBeyondEnd } from "./cursors.js";

/** Acknowledges up to a cursor; when this resolves it is on disk, and what is acknowledged is not handed out again (CURSOR-7). */
export async function ack(ctx: TeamContext, input: ParsedInputOf<"ack">): Promise<OutputOf<"ack">> {
  const { channels, presence } = ctx.services;
  const { peer } = ctx.team;
  await refuseBeyondEnd(ctx, "cursor", input.cursor, channels.find(ctx.session.sessionId)?.head ?? 0);
  const skipped = await acknowledge(ctx, peer, input.cursor);
  await presence.save(peer);
  return { cursor: peer.acked, ...(skipped > 0 ? { skipped } : {}) };
}
