import { type Addressee, countInbox, saveLastRead } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import type { TeamContext } from "../sessions/context.js";
import { skipKnownEmpty } from "../sessions/peers/cursors.js";
import { numberConnection } from "../sessions/peers/peer.js";
import type { Mail, ReadBounds, SessionChannel } from "./delivery/channel.js";
import { readReceipt } from "./message-status.js";
import type { FeedServices } from "./services.js";

/** The position at which a call starts reading. */
export interface ReadStart {
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
  channel: SessionChannel,
  receipt: string | undefined,
): Promise<ReadStart> {
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
  channel: SessionChannel,
  { since, again, own }: { since: number; again: number; own: boolean },
): InboxReader {
  const { presence } = ctx.services;
  const { peer } = ctx.team;
  const addressee: Addressee = { peerId: peer.peerId, includesOwn: own };
  const bounds = pageBounds(ctx);
  // The next page begins after `taken`. `looked` is the last sequence examined, so messages between the two
  // do not end a wait.
  let readUpTo = own ? since : skipKnownEmpty(peer.cursors, since);
  // Messages that are merely redelivered do not end a wait.
  let polledUpTo = Math.max(readUpTo, again);
  let isEnding = false;
  let hasEndingEvent = false;
  const isConvener = peer.teamId === ctx.session.createdByTeamId;

  function skipTo(upTo: number): void {
    // A caller that also reads its own messages must not skip them, so the empty range is not recorded.
    if (!own) void presence.advance(peer, { type: "foundEmpty", after: readUpTo, upTo });
    readUpTo = upTo;
  }

  function noteMail({ entries, upTo }: Mail): void {
    if (entries.length === 0 && readUpTo === polledUpTo) skipTo(upTo);
    polledUpTo = upTo;
    isEnding ||= entries.some((entry) => own || entry.canWake);
    hasEndingEvent ||= entries.some(
      ({ endsWaitsOf }) => endsWaitsOf === "everyone" || (isConvener && endsWaitsOf === "convener"),
    );
  }

  function computeEventDelayMs(): number {
    if (!hasEndingEvent) return Number.POSITIVE_INFINITY;
    return Math.max(0, peer.eventEndedWaitAt + limits.endsWaitsMsMin - performance.now());
  }

  /**
   * Returns whether the wait ends now. An event ends it only if none of the peer's other waits was ended by
   * an event within the last `endsWaitsMsMin`.
   */
  function shouldEnd(): boolean {
    if (isEnding) return true;
    if (computeEventDelayMs() > 0) return false;
    peer.eventEndedWaitAt = performance.now();
    isEnding = true;
    return true;
  }

  return {
    async hasNew({ entries, upTo }, head) {
      const last = entries.at(-1)?.sequence ?? 0;
      // A page that was not cut short by its bounds contains all messages up to the head.
      if (upTo >= head || last === 0 || last > again) return last > again;
      const { sessionId } = ctx.session;
      const { orm } = ctx.services.database;
      return (await countInbox(orm, sessionId, addressee, { after: again, upTo: head })) > 0;
    },
    async read() {
      for (;;) {
        const mail =
          channel.readMailNow(readUpTo, addressee, bounds) ??
          (await channel.readMail(readUpTo, addressee, bounds));
        if (mail.entries.length > 0) return mail;
        skipTo(mail.upTo);
        polledUpTo = Math.max(readUpTo, polledUpTo);
        if (readUpTo >= channel.head) return mail;
      }
    },
    async poll() {
      while (!isEnding && polledUpTo < channel.head) {
        noteMail(await channel.readMail(polledUpTo, addressee, bounds));
      }
      return shouldEnd();
    },
    pollNow() {
      while (!isEnding && polledUpTo < channel.head) {
        const mail = channel.readMailNow(polledUpTo, addressee, bounds);
        if (!mail) return null;
        noteMail(mail);
      }
      return shouldEnd();
    },
    get endsInMs() {
      const ms = computeEventDelayMs();
      return Number.isFinite(ms) && !isEnding ? ms : null;
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
export interface RemainingMail {
  /**
   * The last sequence that the page covers. If no message for the caller follows the page, this is the end of
   * the feed.
   */
  readonly upTo: number;
  readonly remaining: number;
}

/** Counts the messages for the caller that follow a page, since a page may end before the feed does. */
export async function countRemaining(
  { services, session, team }: TeamContext<FeedServices>,
  channel: SessionChannel,
  { entries, upTo }: Mail,
  own: boolean,
): Promise<RemainingMail> {
  const { head } = channel;
  const addressee: Addressee = { peerId: team.peer.peerId, includesOwn: own };
  const remaining =
    upTo < head
      ? await countInbox(services.database.orm, session.sessionId, addressee, { after: upTo, upTo: head })
      : 0;
  const covered = remaining === 0 ? Math.max(upTo, head) : upTo;
  const last = entries.at(-1);
  if (!own && last) {
    void services.presence.advance(team.peer, { type: "foundEmpty", after: last.sequence, upTo: covered });
  }
  return { upTo: covered, remaining };
}
