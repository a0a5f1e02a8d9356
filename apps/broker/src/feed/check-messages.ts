import type { OutputOf, ParsedInputOf, TeamContext } from "../context.js";
import { offerUpTo } from "../roster/peer.js";
import { refuseOtherEpoch } from "./cursors.js";
import { countRest, noteReturned, openMailbox, resumeReading } from "./mailbox.js";

/**
 * Answers with what is unread, and never waits (DELIVER-7). It goes on where the caller's last wait without a cursor, or
 * check, ended, and acknowledges what that brought.
 */
export async function checkMessages(
  ctx: TeamContext,
  input: ParsedInputOf<"check_messages">,
): Promise<OutputOf<"check_messages">> {
  const { channels, database, metrics, presence } = ctx.services;
  const { peer } = ctx.team;
  refuseOtherEpoch(ctx.services, input.epoch);
  presence.poll(peer);
  const channel = await channels.open(ctx.session.sessionId);
  const { since, saved } = resumeReading(ctx);
  const mail = await openMailbox(ctx, channel, { since, own: false }).read();
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
      noteReturned(ctx, peer, upTo);
    }
    presence.saveSoon(peer);
  });
  return {
    messages: entries.map((entry) => entry.message),
    next_cursor: entries.length > 0 ? upTo : since,
    session_closed: channel.closed && upTo >= channel.head,
    epoch: database.epoch,
    ...(remaining > 0 ? { remaining } : {}),
    ...(documentChanged ? { document_version: documentVersion } : {}),
  };
}
