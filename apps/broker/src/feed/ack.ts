import { saveLastRead } from "@merkle/db";
import type { PersonCaller } from "../access/credentials.js";
import type { OutputOf, ParsedInputOf, ReaderContext, TeamContext } from "../context.js";
import { acknowledgeUpTo, offerUpTo } from "../roster/peer.js";
import { acknowledge, refuseBeyondEnd } from "./cursors.js";

type Input = ParsedInputOf<"ack">;
type Output = OutputOf<"ack">;

/** Acknowledges up to a cursor; when this resolves it is on disk, and what is acknowledged is not handed out again (CURSOR-7). */
export async function ack(ctx: ReaderContext, input: Input): Promise<Output> {
  const { channels } = ctx.services;
  await refuseBeyondEnd(ctx, "cursor", input.cursor, channels.find(ctx.session.sessionId)?.head ?? 0);
  if (ctx.person) return ackAsPerson(ctx, ctx.person, input);
  return ackAsTeam(ctx, input);
}

async function ackAsTeam(ctx: TeamContext, input: Input): Promise<Output> {
  const { peer } = ctx.team;
  const skipped = await acknowledge(ctx, peer, input.cursor);
  await ctx.services.presence.save(peer);
  return { cursor: peer.acked, ...(skipped > 0 ? { skipped } : {}) };
}

/** A person reads where and how it likes, so what it says that it has read counts, whatever was handed out (PERSON-6). */
async function ackAsPerson(ctx: ReaderContext, { personId }: PersonCaller, input: Input): Promise<Output> {
  const { database, presence } = ctx.services;
  const { sessionId } = ctx.session;
  const reading = { meshId: database.meshId, personId, sessionId };
  const cursor = await saveLastRead(database.orm, reading, input.cursor);
  if (ctx.team) {
    const { peer } = ctx.team;
    offerUpTo(peer, cursor);
    acknowledgeUpTo(peer, cursor);
    await presence.save(peer);
  }
  return { cursor };
}
