import { saveLastRead } from "@merkle/db";
import { limits } from "@merkle/wire";
import type { OutputOf, ParsedInputOf, TeamContext } from "../context.js";
import type { Channel, ReadBounds } from "../delivery/channel.js";
import type { Entry } from "../delivery/entry.js";
import { acknowledgeUpTo, offerUpTo, type Peer } from "../roster/peer.js";
import { acknowledge, refuseBeyondEnd, refuseOtherEpoch } from "./cursors.js";
import { createDoorbell } from "./doorbell.js";

type Input = ParsedInputOf<"wait_for_messages">;
type Output = OutputOf<"wait_for_messages">;

/**
 * Answers with the next messages of others, at once or as soon as there are some (WAIT-1). Acknowledged is only what the
 * caller says it has read, or what an earlier answer brought to it in full (CURSOR-4, CURSOR-6).
 */
export async function waitForMessages(ctx: TeamContext, input: Input): Promise<Output> {
  const { channels, presence } = ctx.services;
  const { peer } = ctx.team;
  refuseOtherEpoch(ctx.services, input.epoch);
  const channel = await channels.open(ctx.session.sessionId);
  const { since, skipped, saved } = await beginReading(ctx, input, channel);

  const page = await readOrBlock(ctx, input, channel, since);
  await saved;
  presence.touch(peer);
  return toOutput(ctx, input, { page, since, skipped, channel });
}

interface Beginning {
  readonly since: number;
  readonly skipped: number;
  /** The acknowledgement is on disk. It is awaited before the answer, while the wait blocks. */
  readonly saved: Promise<unknown>;
}

async function beginReading(ctx: TeamContext, input: Input, channel: Channel): Promise<Beginning> {
  const { presence } = ctx.services;
  const { peer } = ctx.team;
  if (input.since_cursor !== undefined) {
    await refuseBeyondEnd(ctx, "since_cursor", input.since_cursor, channel.head);
    channel.hint(input.since_cursor);
    const ackedBefore = peer.acked;
    const skipped = await acknowledge(ctx, peer, input.since_cursor);
    if (peer.acked > ackedBefore) presence.saveSoon(peer);
    return { since: input.since_cursor, skipped, saved: awaitLater(noteRead(ctx, ackedBefore)) };
  }
  // A connection that broke may have taken its last answer with it: what it brought is brought again.
  const ackedBefore = peer.acked;
  const since = peer.returnedTo === ctx.connection ? acknowledgeUpTo(peer, peer.returned) : peer.acked;
  // An earlier wait may have acknowledged it, and failed to save that.
  const saved = since > peer.ackedOnDisk ? presence.save(peer) : Promise.resolve();
  return { since, skipped: 0, saved: awaitLater(saved, noteRead(ctx, ackedBefore)) };
}

/** It is awaited only after the wait; until then its failure must not count as unhandled. */
function awaitLater(...saving: readonly Promise<unknown>[]): Promise<unknown> {
  const all = Promise.all(saving);
  all.catch(() => undefined);
  return all;
}

/** What a person's wait acknowledges, the person has read (PERSON-6). */
async function noteRead(
  { services: { database }, session, person, team }: TeamContext,
  ackedBefore: number,
): Promise<void> {
  if (!person || team.peer.acked <= ackedBefore) return;
  const reading = { meshId: database.meshId, personId: person.personId, sessionId: session.sessionId };
  await saveLastRead(database.orm, reading, team.peer.acked);
}

interface Page {
  readonly entries: readonly Entry[];
  /** The last sequence that was looked at, one's own messages included. */
  readonly position: number;
  /** Whether it blocked until its time was up. Looking in with `timeout: 0` is no idle poll. */
  readonly timedOut: boolean;
}

async function readOrBlock(ctx: TeamContext, input: Input, channel: Channel, since: number): Promise<Page> {
  const { peer } = ctx.team;
  const bounds = pageBounds(ctx);
  const isWanted = (entry: Entry) => input.include_own || entry.peerId !== peer.peerId;
  const timeoutMs = Math.min(input.timeout, limits.waitSecondsMax) * 1000;
  const bell = createDoorbell({ timeoutMs, signals: [ctx.signal, ctx.services.stopping] });
  // Attached before the first read: what is committed while it reads rings, and is read next.
  const detach = channel.attach({ wake: bell.ring });
  const unpark = park(ctx, peer, bell.expire);
  try {
    for (let position = since; ; ) {
      const page = await readPage(channel, position, bounds, isWanted);
      if (page.entries.length > 0) return { ...page, timedOut: false };
      position = page.position;
      if (channel.closed && position >= channel.head) return { ...page, timedOut: false };
      ctx.onBlocked();
      if ((await bell.answered()) !== "rung") {
        return { ...page, timedOut: timeoutMs > 0 && !ctx.signal.aborted };
      }
    }
  } finally {
    bell.stop();
    detach();
    unpark();
  }
}

/** Reads on until there is something for the caller, or the end. */
async function readPage(
  channel: Channel,
  after: number,
  bounds: ReadBounds,
  isWanted: (entry: Entry) => boolean,
): Promise<{ entries: readonly Entry[]; position: number }> {
  for (let position = after; ; ) {
    const read = channel.readNow(position, bounds) ?? (await channel.read(position, bounds));
    position = read.at(-1)?.sequence ?? position;
    const entries = read.filter(isWanted);
    if (entries.length > 0 || read.length === 0) return { entries, position };
  }
}

/** A peer may have four waits parked; one more answers the oldest as its timeout would (WAIT-6). */
function park({ services }: TeamContext, peer: Peer, expire: () => void): () => void {
  const [oldest] = peer.waits;
  if (oldest && peer.waits.size >= limits.parkedWaitsPerPeerMax) {
    peer.waits.delete(oldest);
    oldest.expire();
  }
  const wait = { expire };
  peer.waits.add(wait);
  services.metrics.parkedWaits.inc();
  return () => {
    peer.waits.delete(wait);
    services.metrics.parkedWaits.dec();
  };
}

function pageBounds(ctx: TeamContext): ReadBounds {
  return {
    messagesMax: limits.pageMessagesMax,
    bytesMax: ctx.view === "compact" ? limits.compactPageCharsMax : limits.pageBytesMax,
  };
}

interface Answer {
  readonly page: Page;
  readonly since: number;
  readonly skipped: number;
  readonly channel: Channel;
}

function toOutput(ctx: TeamContext, input: Input, { page, since, skipped, channel }: Answer): Output {
  const { database, settings } = ctx.services;
  const { peer } = ctx.team;
  const empty = page.entries.length === 0;
  const next_cursor = empty ? since : page.position;
  const remaining = channel.head - page.position;
  const documentVersion = channel.documentVersion;
  const documentChanged = documentVersion > peer.documentVersion;
  if (!empty) peer.idlePolls = 0;
  if (page.timedOut) peer.idlePolls += 1;
  const { idle_polls: budget } = settings.current;

  ctx.onWritten(() => noteWritten(ctx, input, page, next_cursor, documentVersion));
  return {
    messages: page.entries.map((entry) => entry.message),
    next_cursor,
    session_closed: channel.closed && remaining <= 0,
    epoch: database.epoch,
    ...(remaining > 0 && !empty ? { remaining } : {}),
    ...(skipped > 0 ? { skipped } : {}),
    ...(documentChanged ? { document_version: documentVersion } : {}),
    ...(page.timedOut ? { idle_polls: peer.idlePolls } : {}),
    ...(page.timedOut && peer.idlePolls >= budget ? { advice: idleAdvice(peer.idlePolls) } : {}),
  };
}

/** Only an answer that reached its caller was an offer; one that was cut off brings its messages again (CURSOR-8). */
function noteWritten(
  ctx: TeamContext,
  input: Input,
  page: Page,
  nextCursor: number,
  documentVersion: number,
): void {
  const { metrics, presence } = ctx.services;
  const { peer } = ctx.team;
  peer.documentVersion = Math.max(peer.documentVersion, documentVersion);
  if (page.entries.length > 0) {
    metrics.deliveries.inc({ path: "wait" }, page.entries.length);
    offerUpTo(peer, nextCursor);
    if (input.since_cursor === undefined) {
      peer.returned = Math.max(peer.returned, nextCursor);
      peer.returnedTo = ctx.connection;
    }
  }
  presence.saveSoon(peer);
}

function idleAdvice(polls: number): string {
  return `${polls} waits in a row were empty. Tell your human "session idle" and stop waiting until they ask you to go on.`;
}
