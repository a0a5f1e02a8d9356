import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { TeamContext } from "../sessions/context.js";
import { noteReturned, offerUpTo } from "../sessions/peers/peer.js";
import { refuseOtherHistory } from "./cursors.js";
import { countRest, openMailbox, resumeReading } from "./mailbox.js";
import { makeReceipt } from "./receipt.js";
import type { FeedServices } from "./services.js";

/**
 * Answers with what is unread, and never waits (DELIVER-7). It goes on where the caller's waits without a cursor, and
 * checks, have come to (CURSOR-6).
 */
export async function checkMessages(
  ctx: TeamContext<FeedServices>,
  input: ParsedInputOf<"check_messages">,
): Promise<OutputOf<"check_messages">> {
  const { channels, database, metrics, presence } = ctx.services;
  const { peer } = ctx.team;
  await refuseOtherHistory(ctx, input);
  presence.poll(peer);
  const channel = await channels.open(ctx.session.sessionId);
  const { since, again, saved } = await resumeReading(ctx, channel, input.receipt);
  const mail = await openMailbox(ctx, channel, { since, again, own: false }).read();
  const { upTo, remaining } = await countRest(ctx, channel, mail, false);
  await saved;

  const { entries } = mail;
  const { documentVersion } = channel;
  const documentChanged = documentVersion > peer.documentVersion;
  if (entries.length > 0) peer.idlePolls = 0;
  ctx.onWritten(() => {
    peer.documentVersion = Math.max(peer.documentVersion, documentVersion);
    if (entries.length > 0) {
      metrics.deliveries.inc({ path: "check" }, entries.length);
      offerUpTo(peer, upTo);
      noteReturned(peer, { upTo, again, connection: ctx.connection });
    }
    presence.saveSoon(peer);
  });
  return {
    messages: entries.map((entry) => entry.message),
    next_cursor: entries.length > 0 ? upTo : since,
    session_closed: channel.closed && upTo >= channel.head,
    epoch: database.epoch,
    ...(entries.length > 0 ? { receipt: makeReceipt(ctx.services, peer, upTo) } : {}),
    ...((entries[0]?.sequence ?? Infinity) <= again ? { again } : {}),
    ...(remaining > 0 ? { remaining } : {}),
    ...(documentChanged ? { document_version: documentVersion } : {}),
  };
}
