import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { TeamContext } from "../sessions/context.js";
import { canResume } from "../sessions/peers/cursors.js";
import { expectRequest, type LivePeer, numberConnection } from "../sessions/peers/peer.js";
import { acknowledge, refuseBeyondEnd, refuseOtherHistory } from "./cursors.js";
import type { Mail, SessionChannel } from "./delivery/channel.js";
import {
  awaitLater,
  countRemaining,
  noteRead,
  openInboxReader,
  type ReadStart,
  type RemainingMail,
  resumeReading,
} from "./inbox-reader.js";
import { makeReceipt } from "./message-status.js";
import type { FeedServices } from "./services.js";

type WaitForMessagesInput = ParsedInputOf<"wait_for_messages">;
type WaitForMessagesOutput = OutputOf<"wait_for_messages">;

/**
 * Returns the next messages for the caller, immediately or once a message arrives that ends a wait (WAIT-1,
 * DELIVER-4). Acknowledges only messages that the caller reports as read or is known to have received
 * (CURSOR-4, CURSOR-6).
 */
export async function waitForMessages(
  ctx: TeamContext<FeedServices>,
  input: WaitForMessagesInput,
): Promise<WaitForMessagesOutput> {
  const { channels, nodes, presence } = ctx.services;
  const { peer } = ctx.team;
  await refuseOtherHistory(ctx, { epoch: input.epoch, cursor: input.since_cursor });
  const channel = await channels.open(ctx.session.sessionId);
  await catchUp(ctx, channel, input);
  presence.notePoll(peer);
  const start = await beginReading(ctx, input, channel);

  const page = await readOrBlock(ctx, input, channel, start);
  const rest = await countRemaining(ctx, channel, page, input.include_own);
  await start.saved;
  if (page.entries.length > 0) peer.idlePolls = 0;
  if (page.hasTimedOut) peer.idlePolls += 1;
  if (!nodes.isAlone) await saveAnswer(ctx, page, rest);
  // If the connection closed during the wait, the wait does not show that the peer is active.
  if (!ctx.signal.aborted) presence.notePoll(peer);
  return toOutput(ctx, input, { ...start, page, rest, channel });
}

/**
 * Before this call reads, loads which messages other nodes have delivered to the peer, and the feed's head as
 * known to those nodes. There are two signs that another node has not saved its state yet: a cursor beyond
 * everything known to be delivered, or a delivery that is not recorded as returned (without receipts, as
 * returned twice).
 */
async function catchUp(
  { services, team: { peer }, connection }: TeamContext<FeedServices>,
  channel: SessionChannel,
  { since_cursor, receipt }: Partial<Pick<WaitForMessagesInput, "since_cursor" | "receipt">>,
): Promise<void> {
  if (services.nodes.isAlone) return;
  const call = { connection: numberConnection(connection), givesReceipts: receipt !== undefined };
  const head = await services.presence.catchUp(peer, () =>
    since_cursor === undefined ? canResume(peer.cursors, call) : since_cursor <= peer.cursors.offered,
  );
  if (head !== undefined) await channel.reach(head);
}

/**
 * Before the reply is written, saves the delivery, or the fact that the wait timed out. The next call continues
 * from this point, even if it immediately reaches another node (NODE-7). If the reply is cut off, its messages
 * are still not acknowledged.
 */
async function saveAnswer(
  { services, team: { peer } }: TeamContext<FeedServices>,
  { entries, hasTimedOut }: Pick<WaitPage, "entries" | "hasTimedOut">,
  { upTo }: RemainingMail,
): Promise<void> {
  const { presence } = services;
  if (entries.length > 0) void presence.advance(peer, { type: "handedOut", upTo });
  if (entries.length > 0 || hasTimedOut) await presence.save(peer);
}

async function beginReading(
  ctx: TeamContext<FeedServices>,
  input: WaitForMessagesInput,
  channel: SessionChannel,
): Promise<ReadStart & { readonly skipped: number }> {
  const { peer } = ctx.team;
  if (input.since_cursor === undefined) {
    return { ...(await resumeReading(ctx, channel, input.receipt)), skipped: 0 };
  }
  await refuseBeyondEnd(ctx, "since_cursor", input.since_cursor, channel.head);
  channel.hint(input.since_cursor);
  const { skipped } = await acknowledge(ctx, peer, { cursor: input.since_cursor, durable: false });
  return { since: input.since_cursor, again: 0, skipped, saved: awaitLater(noteRead(ctx)) };
}

interface WaitPage extends Mail {
  /**
   * Whether the call blocked until its timeout and found nothing. A check with `timeout: 0` does not count as
   * an idle poll.
   */
  readonly hasTimedOut: boolean;
}

async function readOrBlock(
  ctx: TeamContext<FeedServices>,
  input: WaitForMessagesInput,
  channel: SessionChannel,
  { since, again }: ReadStart,
): Promise<WaitPage> {
  const { peer } = ctx.team;
  const inbox = openInboxReader(ctx, channel, { since, again, own: input.include_own });
  const timeoutMs = Math.min(input.timeout, limits.waitSecondsMax) * 1000;
  const waitSignal = ctx.services.waitSignals.open({ timeoutMs, signal: ctx.signal });
  let isBlocked = false;
  // The reader is attached before the first read, so that a message committed during the read triggers the
  // signal and is read next. Messages that arrive while the call blocks are checked immediately, since most
  // may be for other peers.
  const detach = channel.attach({
    wake: () => {
      if (!isBlocked || channel.isClosed || inbox.pollNow() !== false) waitSignal.ring();
      else waitSignal.ringIn(inbox.endsInMs);
    },
  });
  const unpark = parkWait(ctx, peer, waitSignal.expire);
  try {
    const { head } = channel;
    const unread = await inbox.read();
    // Redelivered messages are returned together with new messages. A caller that confirms nothing therefore
    // needs no second call to get the new messages.
    if (await inbox.hasNew(unread, head)) return { ...unread, hasTimedOut: false };
    while (!channel.isClosed) {
      ctx.notifyBlocked();
      isBlocked = true;
      const answer = await waitSignal.wait();
      isBlocked = false;
      if (answer === "expired" || (await inbox.poll())) break;
      waitSignal.ringIn(inbox.endsInMs);
    }
    const page = await inbox.read();
    const isEmpty = page.entries.length === 0 && !channel.isClosed;
    return { ...page, hasTimedOut: isEmpty && timeoutMs > 0 && !ctx.signal.aborted };
  } finally {
    waitSignal.stop();
    detach();
    unpark();
  }
}

/**
 * Parks a wait. A peer may have four parked waits. A fifth ends the oldest wait, as if it had timed out
 * (WAIT-6). Returns a function that removes the wait.
 */
export function parkWait(
  { services }: { services: Pick<FeedServices, "metrics" | "presence"> },
  peer: LivePeer,
  expire: () => void,
): () => void {
  const [oldest] = peer.waits;
  if (oldest && peer.waits.size >= limits.parkedWaitsPerPeerMax) {
    peer.waits.delete(oldest);
    oldest.expire();
  }
  const wait = { expire };
  peer.waits.add(wait);
  services.presence.noteActivity(peer);
  services.metrics.parkedWaits.inc();
  return () => {
    peer.waits.delete(wait);
    services.presence.noteActivity(peer);
    services.metrics.parkedWaits.dec();
  };
}

interface WaitReply extends ReadStart {
  readonly page: WaitPage;
  readonly rest: RemainingMail;
  readonly skipped: number;
  readonly channel: SessionChannel;
}

function toOutput(
  ctx: TeamContext<FeedServices>,
  input: WaitForMessagesInput,
  answer: WaitReply,
): WaitForMessagesOutput {
  const { page, rest, since, again, skipped, channel } = answer;
  const { database, settings } = ctx.services;
  const { peer } = ctx.team;
  const isEmpty = page.entries.length === 0;
  const { upTo, remaining } = rest;
  const documentVersion = channel.documentVersion;
  const hasDocumentChanged = documentVersion > peer.documentVersion;
  const { idle_polls: budget } = settings.current;

  ctx.onWritten(() => noteWritten(ctx, input, answer, documentVersion));
  return {
    messages: page.entries.map((entry) => entry.message),
    next_cursor: isEmpty ? since : upTo,
    session_closed: channel.isClosed && upTo >= channel.head,
    epoch: database.epoch,
    ...(!isEmpty && input.since_cursor === undefined
      ? { receipt: makeReceipt(ctx.services, peer, upTo) }
      : {}),
    ...((page.entries[0]?.sequence ?? Infinity) <= again ? { again } : {}),
    ...(remaining > 0 && !isEmpty ? { remaining } : {}),
    ...(skipped > 0 ? { skipped } : {}),
    ...(hasDocumentChanged ? { document_version: documentVersion } : {}),
    ...(page.hasTimedOut ? { idle_polls: peer.idlePolls } : {}),
    ...(page.hasTimedOut && peer.idlePolls >= budget ? { advice: formatIdleAdvice(peer.idlePolls) } : {}),
  };
}

/**
 * Records a delivery once its reply has been written. If a reply is cut off, its messages are delivered again
 * (CURSOR-8).
 */
function noteWritten(
  ctx: TeamContext<FeedServices>,
  input: WaitForMessagesInput,
  { page, rest: { upTo }, again }: WaitReply,
  documentVersion: number,
): void {
  const { metrics, presence, traces } = ctx.services;
  const { peer } = ctx.team;
  peer.documentVersion = Math.max(peer.documentVersion, documentVersion);
  if (page.entries.length > 0) {
    metrics.deliveries.inc({ path: "wait" }, page.entries.length);
    traces?.recordDelivery(ctx.session.sessionId, page.entries, "wait");
    if (input.since_cursor === undefined) noteReturned(ctx, { upTo, again });
    else void presence.advance(peer, { type: "handedOut", upTo });
  }
  presence.saveSoon(peer);
}

function noteReturned(
  { services, team: { peer }, connection }: TeamContext<FeedServices>,
  reply: { readonly upTo: number; readonly again: number },
): void {
  const event = { type: "replied", ...reply, connection: expectRequest(peer, connection) } as const;
  void services.presence.advance(peer, event);
}

function formatIdleAdvice(polls: number): string {
  return `${polls} waits in a row were empty. Tell your human "session idle" and stop waiting until they ask you to continue.`;
}

/**
 * Returns the unread messages without waiting (DELIVER-7). Continues where the caller's earlier calls without
 * a cursor ended (CURSOR-6).
 */
export async function checkMessages(
  ctx: TeamContext<FeedServices>,
  input: ParsedInputOf<"check_messages">,
): Promise<OutputOf<"check_messages">> {
  const { channels, database, metrics, presence, traces } = ctx.services;
  const { peer } = ctx.team;
  await refuseOtherHistory(ctx, input);
  const channel = await channels.open(ctx.session.sessionId);
  await catchUp(ctx, channel, input);
  presence.notePoll(peer);
  const { since, again, saved } = await resumeReading(ctx, channel, input.receipt);
  const mail = await openInboxReader(ctx, channel, { since, again, own: false }).read();
  const { upTo, remaining } = await countRemaining(ctx, channel, mail, false);
  await saved;
  const { entries } = mail;
  if (entries.length > 0) peer.idlePolls = 0;
  if (!ctx.services.nodes.isAlone)
    await saveAnswer(ctx, { entries, hasTimedOut: false }, { upTo, remaining });

  const { documentVersion } = channel;
  const hasDocumentChanged = documentVersion > peer.documentVersion;
  ctx.onWritten(() => {
    peer.documentVersion = Math.max(peer.documentVersion, documentVersion);
    if (entries.length > 0) {
      metrics.deliveries.inc({ path: "check" }, entries.length);
      traces?.recordDelivery(ctx.session.sessionId, entries, "check");
      noteReturned(ctx, { upTo, again });
    }
    presence.saveSoon(peer);
  });
  return {
    messages: entries.map((entry) => entry.message),
    next_cursor: entries.length > 0 ? upTo : since,
    session_closed: channel.isClosed && upTo >= channel.head,
    epoch: database.epoch,
    ...(entries.length > 0 ? { receipt: makeReceipt(ctx.services, peer, upTo) } : {}),
    ...((entries[0]?.sequence ?? Infinity) <= again ? { again } : {}),
    ...(remaining > 0 ? { remaining } : {}),
    ...(hasDocumentChanged ? { document_version: documentVersion } : {}),
  };
}
