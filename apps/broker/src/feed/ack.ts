import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { ReaderContext, TeamContext } from "../sessions/context.js";
import { acknowledge, refuseBeyondEnd, refuseOtherHistory } from "./cursors.js";
import { noteReading } from "./note-reading.js";
import type { FeedServices } from "./services.js";

type Input = ParsedInputOf<"ack">;
type Output = OutputOf<"ack">;

/** Acknowledges up to a cursor; when this resolves it is on disk, and what is acknowledged is not handed out again (CURSOR-7). */
export async function ack(ctx: ReaderContext<FeedServices>, input: Input): Promise<Output> {
  const { channels } = ctx.services;
  await refuseOtherHistory(ctx, { cursor: input.cursor });
  await refuseBeyondEnd(ctx, "cursor", input.cursor, channels.find(ctx.session.sessionId)?.head ?? 0);
  if (ctx.person) return { cursor: await noteReading(ctx, ctx.person, input.cursor) };
  return ackAsTeam(ctx, input);
}

async function ackAsTeam(ctx: TeamContext<FeedServices>, input: Input): Promise<Output> {
  const { peer } = ctx.team;
  const skipped = await acknowledge(ctx, peer, input.cursor);
  await ctx.services.presence.save(peer);
  return { cursor: peer.acked, ...(skipped > 0 ? { skipped } : {}) };
}
