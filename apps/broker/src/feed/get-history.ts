import {
  type FeedFilter,
  type FeedPart,
  findSequenceAt,
  type PageBounds,
  type Queryable,
  readFeedHeads,
  readFeedPart,
} from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { toMessageFor } from "../core/message.js";
import type { SessionContext } from "../sessions/context.js";
import { refuseOtherHistory } from "./cursors.js";
import { toFeedFilter } from "./feed-filter.js";
import type { FeedServices } from "./services.js";

type GetHistoryInput = ParsedInputOf<"get_history">;

/**
 * Reads one page of a feed, by default backwards from its end. Within a page, the oldest message comes first
 * (FEED-14).
 */
export async function getHistory(
  ctx: SessionContext<FeedServices>,
  input: GetHistoryInput,
): Promise<OutputOf<"get_history">> {
  const { database, presence, metrics } = ctx.services;
  const cursor = input.before_cursor ?? input.after_cursor ?? input.around;
  await refuseOtherHistory(ctx, { epoch: input.epoch, cursor });
  const { end, page, filter } = await database.read(async (db) => {
    const filter = await toFeedFilter(ctx, db, input);
    const end = await findEnd(ctx, db, input.at);
    return { end, page: await readAround(ctx, db, input, end, filter), filter };
  });
  const last = page.messages.at(-1);

  ctx.onWritten(() => {
    metrics.deliveries.inc({ path: "history" }, page.messages.length);
    // A filtered page does not count as delivered, because the filter may have skipped messages in between.
    if (!ctx.team || !last || filter) return;
    void presence.advance(ctx.team.peer, { type: "handedOut", upTo: last.sequence });
  });
  return {
    messages: page.messages.map((message) => toMessageFor(message, ctx.team?.peer.peerId ?? null)),
    next_cursor: page.older,
    has_more: page.older !== null,
    newer_cursor: page.newer,
    last_sequence: end,
    epoch: database.epoch,
  };
}

/** Returns the last sequence of the feed, either now or at a given time (FEED-19). */
async function findEnd(
  { session }: SessionContext<FeedServices>,
  db: Queryable,
  at: string | undefined,
): Promise<number> {
  if (at !== undefined) return findSequenceAt(db, session.sessionId, new Date(at));
  const [head] = await readFeedHeads(db, [session.sessionId]);
  return head?.lastSequence ?? 0;
}

interface FeedPage {
  readonly messages: FeedPart["messages"];
  /**
   * `older` and `newer` are cursors to pass as `before_cursor` and `after_cursor` in the next call. Null if
   * there are no more messages in that direction.
   */
  readonly older: number | null;
  readonly newer: number | null;
}

async function readAround(
  ctx: SessionContext<FeedServices>,
  db: Queryable,
  input: GetHistoryInput,
  end: number,
  filter: FeedFilter | null,
): Promise<FeedPage> {
  const { sessionId } = ctx.session;
  const messagesMax = choosePageSize(input.limit);
  const bytesMax = ctx.view === "compact" ? limits.compactPageCharsMax : limits.pageBytesMax;
  const readBackward = (upTo: number, bounds: PageBounds) =>
    readFeedPart(db, sessionId, { after: 0, upTo }, "backward", filter, bounds);
  const readForward = (after: number, bounds: PageBounds) =>
    readFeedPart(db, sessionId, { after, upTo: end }, "forward", filter, bounds);

  if (input.after_cursor !== undefined) {
    const after = Math.min(input.after_cursor, end);
    const { messages, reached, hasMore } = await readForward(after, { messagesMax, bytesMax });
    return { messages, older: after > 0 ? after + 1 : null, newer: hasMore ? reached : null };
  }
  if (input.around !== undefined) {
    const middle = Math.min(input.around, end);
    const above = Math.ceil(messagesMax / 2);
    const [older, newer] = await Promise.all([
      readBackward(middle, { messagesMax: above, bytesMax: bytesMax / 2 }),
      readForward(middle, { messagesMax: messagesMax - above, bytesMax: bytesMax / 2 }),
    ]);
    return {
      messages: [...older.messages, ...newer.messages],
      older: older.hasMore ? older.reached : null,
      newer: newer.hasMore ? newer.reached : null,
    };
  }
  const upTo = input.before_cursor === undefined ? end : Math.min(Math.max(0, input.before_cursor - 1), end);
  const { messages, reached, hasMore } = await readBackward(upTo, { messagesMax, bytesMax });
  return { messages, older: hasMore ? reached : null, newer: upTo < end ? upTo : null };
}

/** Returns the requested size if it is from 1 to 500. Any other size means the default and is not an error. */
function choosePageSize(limit: number | undefined): number {
  if (limit === undefined || limit < 1 || limit > limits.pageMessagesMax) return limits.pageMessagesDefault;
  return limit;
}
