import { type Addressee, countMail, saveLastRead } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { TeamContext } from "../sessions/context.js";
import { acknowledgeUpTo, firstUnknown, noteArrival, passOver } from "../sessions/peers/peer.js";
import type { Channel, Mail, ReadBounds } from "./delivery/channel.js";
import { readReceipt } from "./message-status.js";
import type { FeedServices } from "./services.js";

/** Where a call begins to read. */
export interface Beginning {
  readonly since: number;
  /** How far earlier replies went of which nothing shows that they arrived: what is read up to there is brought again. */
  readonly again: number;
  /** The acknowledgement is on disk. It is awaited before the answer, while the call does its work. */
  readonly saved: Promise<unknown>;
}

/**
 * Goes on where the caller's calls without a cursor have come to. What they brought is acknowledged where something shows
 * that it arrived: the receipt, or that this connection brought it; what lacks that is brought once more (CURSOR-6).
 */
export async function resumeReading(
  ctx: TeamContext<FeedServices>,
  channel: Channel,
  receipt: string | undefined,
): Promise<Beginning> {
  const { presence } = ctx.services;
  const { peer } = ctx.team;
  noteArrival(peer, ctx.connection);
  // A caller that gives receipts has read what they name; of any other it is taken for granted once it was brought twice.
  const granted = receipt === undefined ? peer.repeated : await readReceipt(ctx, channel, receipt);
  const since = acknowledgeUpTo(peer, Math.max(peer.arrived, granted));
  // An earlier call may have acknowledged it, and failed to save that.
  const saved = since > peer.ackedOnDisk ? presence.save(peer) : Promise.resolve();
  return { since, again: peer.returned, saved: awaitLater(saved, noteRead(ctx)) };
}

/** It is awaited only later; until then its failure must not count as unhandled. */
export function awaitLater(...saving: readonly Promise<unknown>[]): Promise<unknown> {
  const all = Promise.all(saving);
  all.catch(() => undefined);
  return all;
}

/** Notes that a person has read what its reading acknowledges (PERSON-6), with what an earlier call failed to note of it. */
export async function noteRead({
  services: { database },
  session,
  person,
  team: { peer },
}: TeamContext<FeedServices>): Promise<void> {
  const { acked } = peer;
  if (!person || acked <= peer.readNoted) return;
  const reading = { meshId: database.meshId, personId: person.personId, sessionId: session.sessionId };
  await saveLastRead(database.orm, reading, acked);
  peer.readNoted = Math.max(peer.readNoted, acked);
}

/** A caller's mail in a feed, read on from where it began. */
export interface InboxReader {
  /** Whether in the page that was read, or behind it up to the feed's head then, anything stands that no earlier reply brought. */
  hasNew(page: Mail, head: number): Promise<boolean>;
  /** Reads the next page. Without entries there is nothing for the caller up to the feed's end. */
  read(): Promise<Mail>;
  /**
   * Reads what came since the last page, without taking it: whether something of it ends a wait. It waits for the
   * database only where the feed's end is no longer in memory.
   */
  poll(): Promise<boolean>;
  /** The same, or null when it would have to wait. */
  pollNow(): boolean | null;
  /** In how many milliseconds what was polled ends the wait, where that is an event that has ended one a moment ago (DELIVER-4). */
  readonly endsInMs: number | null;
}

export function openInboxReader(
  ctx: TeamContext<FeedServices>,
  channel: Channel,
  { since, again, own }: { since: number; again: number; own: boolean },
): InboxReader {
  const { peer } = ctx.team;
  const addressee: Addressee = { peerId: peer.peerId, own };
  const bounds = pageBounds(ctx);
  // The next page begins behind `taken`; between the two stands what does not end a wait.
  let taken = own ? since : firstUnknown(peer, since);
  // Messages that are only brought again end no wait.
  let looked = Math.max(taken, again);
  let ending = false;
  let eventEnds = false;
  const isConvener = peer.teamId === ctx.session.createdByTeamId;

  function pass(upTo: number): void {
    // Own messages are passed over by those alone who never see them.
    if (!own) passOver(peer, taken, upTo);
    taken = upTo;
  }

  function note({ entries, upTo }: Mail): void {
    if (entries.length === 0 && taken === looked) pass(upTo);
    looked = upTo;
    ending ||= entries.some((entry) => own || entry.wakes);
    eventEnds ||= entries.some(
      ({ endsWaitsOf }) => endsWaitsOf === "everyone" || (isConvener && endsWaitsOf === "convener"),
    );
  }

  function eventEndsInMs(): number {
    if (!eventEnds) return Number.POSITIVE_INFINITY;
    return Math.max(0, peer.eventEndedWaitAt + limits.endsWaitsMsMin - performance.now());
  }

  /** Only what ended no other wait of the peer for a while ends this one. */
  function endsNow(): boolean {
    if (ending) return true;
    if (eventEndsInMs() > 0) return false;
    peer.eventEndedWaitAt = performance.now();
    ending = true;
    return true;
  }

  return {
    async hasNew({ entries, upTo }, head) {
      const last = entries.at(-1)?.sequence ?? 0;
      // Unless its bounds cut it, the page shows all that there is.
      if (upTo >= head || last === 0 || last > again) return last > again;
      const { sessionId } = ctx.session;
      const { orm } = ctx.services.database;
      return (await countMail(orm, sessionId, addressee, { after: again, upTo: head })) > 0;
    },
    async read() {
      for (;;) {
        const mail =
          channel.readMailNow(taken, addressee, bounds) ?? (await channel.readMail(taken, addressee, bounds));
        if (mail.entries.length > 0) return mail;
        pass(mail.upTo);
        looked = Math.max(taken, looked);
        if (taken >= channel.head) return mail;
      }
    },
    async poll() {
      while (!ending && looked < channel.head) {
        note(await channel.readMail(looked, addressee, bounds));
      }
      return endsNow();
    },
    pollNow() {
      while (!ending && looked < channel.head) {
        const mail = channel.readMailNow(looked, addressee, bounds);
        if (!mail) return null;
        note(mail);
      }
      return endsNow();
    },
    get endsInMs() {
      const ms = eventEndsInMs();
      return Number.isFinite(ms) && !ending ? ms : null;
    },
  };
}

function pageBounds(ctx: TeamContext<FeedServices>): ReadBounds {
  return {
    messagesMax: limits.pageMessagesMax,
    bytesMax: ctx.view === "compact" ? limits.compactPageCharsMax : limits.pageBytesMax,
  };
}

/** The part of the caller's mail that lies behind a page. */
export interface Rest {
  /** The last sequence that the page covers: with none of the caller's mail left behind it, the feed's end. */
  readonly upTo: number;
  readonly remaining: number;
}

/** Counts what of the caller's mail lies behind a page, which may have ended before the feed did. */
export async function countRest(
  { services, session, team }: TeamContext<FeedServices>,
  channel: Channel,
  { entries, upTo }: Mail,
  own: boolean,
): Promise<Rest> {
  const { head } = channel;
  const addressee: Addressee = { peerId: team.peer.peerId, own };
  const remaining =
    upTo < head
      ? await countMail(services.database.orm, session.sessionId, addressee, { after: upTo, upTo: head })
      : 0;
  const covered = remaining === 0 ? Math.max(upTo, head) : upTo;
  if (!own && entries.length > 0) passOver(team.peer, entries.at(-1)?.sequence ?? upTo, covered);
  return { upTo: covered, remaining };
}
