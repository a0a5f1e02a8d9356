import { type Addressee, countMail, saveLastRead } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { TeamContext } from "../sessions/context.js";
import { skipKnownEmpty } from "../sessions/peers/cursors.js";
import { numberConnection } from "../sessions/peers/peer.js";
import type { Channel, Mail, ReadBounds } from "./delivery/channel.js";
import { readReceipt } from "./message-status.js";
import type { FeedServices } from "./services.js";

/** The position at which a call starts reading. */
export interface Beginning {
  readonly since: number;
  /**
   * The last sequence in earlier replies that may not have arrived. Messages up to this sequence are delivered
   * again.
   */
  readonly again: number;
  /**
   * Resolves once the acknowledgement is on disk. Awaited just before the reply, so that the call continues
   * in parallel.
   */
  readonly saved: Promise<unknown>;
}

/**
 * Continues where the caller's previous calls without a cursor ended. Messages in the replies to these calls
 * are acknowledged if a receipt, or the use of the same connection, shows that the replies arrived. Otherwise
 * the messages are delivered once more (CURSOR-6).
 */
export async function resumeReading(
  ctx: TeamContext<FeedServices>,
  channel: Channel,
  receipt: string | undefined,
): Promise<Beginning> {
  const { presence } = ctx.services;
  const { peer } = ctx.team;
  const saved = presence.advance(peer, {
    type: "resumed",
    receipt: receipt === undefined ? undefined : await readReceipt(ctx, channel, receipt),
    connection: numberConnection(ctx.connection),
  });
  const { acked, returned } = peer.cursors;
  return { since: acked, again: returned, saved: awaitLater(saved, noteRead(ctx)) };
}

/**
 * Combines saves that are awaited later. If a save fails before that, the failure does not count as an
 * unhandled rejection.
 */
export function awaitLater(...saving: readonly (Promise<unknown> | undefined)[]): Promise<unknown> {
  const all = Promise.all(saving);
  all.catch(() => undefined);
  return all;
}

/**
 * Records that a person has read the messages that the peer acknowledged (PERSON-6), including messages that
 * an earlier call failed to record.
 */
export async function noteRead({
  services: { database, presence },
  session,
  person,
  team: { peer },
}: TeamContext<FeedServices>): Promise<void> {
  const { acked, readSaved } = peer.cursors;
  if (!person || acked <= readSaved) return;
  const reading = { meshId: database.meshId, personId: person.personId, sessionId: session.sessionId };
  await saveLastRead(database.orm, reading, acked);
  void presence.advance(peer, { type: "readingSaved", cursor: acked });
}

/** Reads the caller's messages in a feed, starting at a given position. */
export interface InboxReader {
  /**
   * Returns whether any message up to `head` was not in an earlier reply. `page` is the page just read, and
   * may end before `head`.
   */
  hasNew(page: Mail, head: number): Promise<boolean>;
  /**
   * Reads the next page. A page without entries means that the rest of the feed contains no messages for the
   * caller.
   */
  read(): Promise<Mail>;
  /**
   * Checks whether a message after the last page ends the wait, without returning the message. Queries the
   * database only if the end of the feed is not in memory.
   */
  poll(): Promise<boolean>;
  /** Works like `poll`, but returns null if it would have to query the database. */
  pollNow(): boolean | null;
  /**
   * Milliseconds until an event found by `poll` ends the wait. The event is delayed because another event has
   * just ended one of the peer's waits (DELIVER-4).
   */
  readonly endsInMs: number | null;
}

export function openInboxReader(
  ctx: TeamContext<FeedServices>,
  channel: Channel,
  { since, again, own }: { since: number; again: number; own: boolean },
): InboxReader {
  const { presence } = ctx.services;
  const { peer } = ctx.team;
  const addressee: Addressee = { peerId: peer.peerId, own };
  const bounds = pageBounds(ctx);
  // The next page begins after `taken`. `looked` is the last sequence examined, so messages between the two
  // do not end a wait.
  let taken = own ? since : skipKnownEmpty(peer.cursors, since);
  // Messages that are merely redelivered do not end a wait.
  let looked = Math.max(taken, again);
  let ending = false;
  let eventEnds = false;
  const isConvener = peer.teamId === ctx.session.createdByTeamId;

  function pass(upTo: number): void {
    // A caller that also reads its own messages must not skip them, so the empty range is not recorded.
    if (!own) void presence.advance(peer, { type: "foundEmpty", after: taken, upTo });
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

  /**
   * Returns whether the wait ends now. An event ends it only if none of the peer's other waits was ended by
   * an event within the last `endsWaitsMsMin`.
   */
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
      // A page that was not cut short by its bounds contains all messages up to the head.
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

/** The caller's messages that come after a page. */
export interface Rest {
  /**
   * The last sequence that the page covers. If no message for the caller follows the page, this is the end of
   * the feed.
   */
  readonly upTo: number;
  readonly remaining: number;
}

/** Counts the messages for the caller that follow a page, since a page may end before the feed does. */
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
  const last = entries.at(-1);
  if (!own && last) {
    void services.presence.advance(team.peer, { type: "foundEmpty", after: last.sequence, upTo: covered });
  }
  return { upTo: covered, remaining };
}
