import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import type { TeamContext } from "../sessions/context.js";
import { canResume } from "../sessions/peers/cursors.js";
import { expectRequest, numberConnection, type Peer } from "../sessions/peers/peer.js";
import { acknowledge, refuseBeyondEnd, refuseOtherHistory } from "./cursors.js";
import type { Channel, Mail } from "./delivery/channel.js";
import {
  awaitLater,
  type Beginning,
  countRest,
  noteRead,
  openInboxReader,
  type Rest,
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
  presence.poll(peer);
  const beginning = await beginReading(ctx, input, channel);

  const page = await readOrBlock(ctx, input, channel, beginning);
  const rest = await countRest(ctx, channel, page, input.include_own);
  await beginning.saved;
  if (page.entries.length > 0) peer.idlePolls = 0;
  if (page.timedOut) peer.idlePolls += 1;
  if (!nodes.alone) await saveAnswer(ctx, page, rest);
  // If the connection closed during the wait, the wait does not show that the peer is active.
  if (!ctx.signal.aborted) presence.poll(peer);
  return toOutput(ctx, input, { ...beginning, page, rest, channel });
}

/**
 * Before this call reads, loads which messages other nodes have delivered to the peer, and the feed's head as
 * known to those nodes. There are two signs that another node has not saved its state yet: a cursor beyond
 * everything known to be delivered, or a delivery that is not recorded as returned (without receipts, as
 * returned twice).
 */
async function catchUp(
  { services, team: { peer }, connection }: TeamContext<FeedServices>,
  channel: Channel,
  { since_cursor, receipt }: Partial<Pick<WaitForMessagesInput, "since_cursor" | "receipt">>,
): Promise<void> {
  if (services.nodes.alone) return;
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
  { entries, timedOut }: Pick<MailPage, "entries" | "timedOut">,
  { upTo }: Rest,
): Promise<void> {
  const { presence } = services;
  if (entries.length > 0) void presence.advance(peer, { type: "handedOut", upTo });
  if (entries.length > 0 || timedOut) await presence.save(peer);
}

async function beginReading(
  ctx: TeamContext<FeedServices>,
  input: WaitForMessagesInput,
  channel: Channel,
): Promise<Beginning & { readonly skipped: number }> {
  const { peer } = ctx.team;
  if (input.since_cursor === undefined) {
    return { ...(await resumeReading(ctx, channel, input.receipt)), skipped: 0 };
  }
  await refuseBeyondEnd(ctx, "since_cursor", input.since_cursor, channel.head);
  channel.hint(input.since_cursor);
  const { skipped } = await acknowledge(ctx, peer, { cursor: input.since_cursor, durable: false });
  return { since: input.since_cursor, again: 0, skipped, saved: awaitLater(noteRead(ctx)) };
}

interface MailPage extends Mail {
  /**
   * Whether the call blocked until its timeout and found nothing. A check with `timeout: 0` does not count as
   * an idle poll.
   */
  readonly timedOut: boolean;
}

async function readOrBlock(
  ctx: TeamContext<FeedServices>,
  input: WaitForMessagesInput,
  channel: Channel,
  { since, again }: Beginning,
): Promise<MailPage> {
  const { peer } = ctx.team;
  const inbox = openInboxReader(ctx, channel, { since, again, own: input.include_own });
  const timeoutMs = Math.min(input.timeout, limits.waitSecondsMax) * 1000;
  const wake = ctx.services.waitSignals.open({ timeoutMs, signal: ctx.signal });
  let blocked = false;
  // The reader is attached before the first read, so that a message committed during the read triggers the
  // signal and is read next. Messages that arrive while the call blocks are checked immediately, since most
  // may be for other peers.
  const detach = channel.attach({
    wake: () => {
      if (!blocked || channel.closed || inbox.pollNow() !== false) wake.ring();
      else wake.ringIn(inbox.endsInMs);
    },
  });
  const unpark = park(ctx, peer, wake.expire);
  try {
    const { head } = channel;
    const unread = await inbox.read();
    // Redelivered messages are returned together with new messages. A caller that confirms nothing therefore
    // needs no second call to get the new messages.
    if (await inbox.hasNew(unread, head)) return { ...unread, timedOut: false };
    while (!channel.closed) {
      ctx.onBlocked();
      blocked = true;
      const answer = await wake.answered();
      blocked = false;
      if (answer === "expired" || (await inbox.poll())) break;
      wake.ringIn(inbox.endsInMs);
    }
    const page = await inbox.read();
    const inVain = page.entries.length === 0 && !channel.closed;
    return { ...page, timedOut: inVain && timeoutMs > 0 && !ctx.signal.aborted };
  } finally {
    wake.stop();
    detach();
    unpark();
  }
}

/**
 * Parks a wait. A peer may have four parked waits. A fifth ends the oldest wait, as if it had timed out
 * (WAIT-6). Returns a function that removes the wait.
 */
export function park(
  { services }: { services: Pick<FeedServices, "metrics" | "presence"> },
  peer: Peer,
  expire: () => void,
): () => void {
  const [oldest] = peer.waits;
  if (oldest && peer.waits.size >= limits.parkedWaitsPerPeerMax) {
    peer.waits.delete(oldest);
    oldest.expire();
  }
  const wait = { expire };
  peer.waits.add(wait);
  services.presence.noteHere(peer);
  services.metrics.parkedWaits.inc();
  return () => {
    peer.waits.delete(wait);
    services.presence.noteHere(peer);
    services.metrics.parkedWaits.dec();
  };
}

interface WaitReply extends Beginning {
  readonly page: MailPage;
  readonly rest: Rest;
  readonly skipped: number;
  readonly channel: Channel;
}

function toOutput(
  ctx: TeamContext<FeedServices>,
  input: WaitForMessagesInput,
  answer: WaitReply,
): WaitForMessagesOutput {
  const { page, rest, since, again, skipped, channel } = answer;
  const { database, settings } = ctx.services;
  const { peer } = ctx.team;
  const empty = page.entries.length === 0;
  const { upTo, remaining } = rest;
  const documentVersion = channel.documentVersion;
  const documentChanged = documentVersion > peer.documentVersion;
  const { idle_polls: budget } = settings.current;

  ctx.onWritten(() => noteWritten(ctx, input, answer, documentVersion));
  return {
    messages: page.entries.map((entry) => entry.message),
    next_cursor: empty ? since : upTo,
    session_closed: channel.closed && upTo >= channel.head,
    epoch: database.epoch,
    ...(!empty && input.since_cursor === undefined ? { receipt: makeReceipt(ctx.services, peer, upTo) } : {}),
    ...((page.entries[0]?.sequence ?? Infinity) <= again ? { again } : {}),
    ...(remaining > 0 && !empty ? { remaining } : {}),
    ...(skipped > 0 ? { skipped } : {}),
    ...(documentChanged ? { document_version: documentVersion } : {}),
    ...(page.timedOut ? { idle_polls: peer.idlePolls } : {}),
    ...(page.timedOut && peer.idlePolls >= budget ? { advice: idleAdvice(peer.idlePolls) } : {}),
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
    traces?.delivered(ctx.session.sessionId, page.entries, "wait");
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

function idleAdvice(polls: number): string {
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
  presence.poll(peer);
  const { since, again, saved } = await resumeReading(ctx, channel, input.receipt);
  const mail = await openInboxReader(ctx, channel, { since, again, own: false }).read();
  const { upTo, remaining } = await countRest(ctx, channel, mail, false);
  await saved;
  const { entries } = mail;
  if (entries.length > 0) peer.idlePolls = 0;
  if (!ctx.services.nodes.alone) await saveAnswer(ctx, { entries, timedOut: false }, { upTo, remaining });

  const { documentVersion } = channel;
  const documentChanged = documentVersion > peer.documentVersion;
  ctx.onWritten(() => {
    peer.documentVersion = Math.max(peer.documentVersion, documentVersion);
    if (entries.length > 0) {
      metrics.deliveries.inc({ path: "check" }, entries.length);
      traces?.delivered(ctx.session.sessionId, entries, "check");
      noteReturned(ctx, { upTo, again });
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
