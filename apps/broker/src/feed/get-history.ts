import { readMessagesBefore } from "@merkle/db";
import { limits } from "@merkle/wire";
import type { OutputOf, ParsedInputOf, SessionContext } from "../context.js";
import { offerUpTo } from "../roster/peer.js";
import { refuseOtherEpoch } from "./cursors.js";
import { toMessage } from "./message.js";

/** Reads a feed backwards, a page at a time; within a page the oldest message comes first (FEED-14). */
export async function getHistory(
  ctx: SessionContext,
  input: ParsedInputOf<"get_history">,
): Promise<OutputOf<"get_history">> {
  const { database, presence, metrics } = ctx.services;
  refuseOtherEpoch(ctx.services, input.epoch);
  const stored = await readMessagesBefore(database.orm, ctx.session.sessionId, input.before_cursor, {
    messagesMax: pageSize(input.limit),
    bytesMax: ctx.view === "compact" ? limits.compactPageCharsMax : limits.pageBytesMax,
  });
  const [first] = stored;
  const last = stored.at(-1);
  // Numbers have no gaps, so whatever does not begin with 1 has something before it.
  const has_more = first !== undefined && first.sequence > 1;

  ctx.onWritten(() => {
    metrics.deliveries.inc({ path: "history" }, stored.length);
    if (!ctx.team || !last) return;
    offerUpTo(ctx.team.peer, last.sequence);
    presence.saveSoon(ctx.team.peer);
  });
  return {
    messages: stored.map(toMessage),
    next_cursor: has_more ? first.sequence : null,
    has_more,
    newer_cursor: null,
    last_sequence: last?.sequence ?? 0,
    epoch: database.epoch,
  };
}

/** 1 to 500 as asked; anything else means the default, without an error. */
function pageSize(limit: number | undefined): number {
  if (limit === undefined || limit < 1 || limit > limits.pageMessagesMax) return limits.pageMessagesDefault;
  return limit;
}
