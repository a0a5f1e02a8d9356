import { countInbox, countUnread, readFeedHeads, saveLastRead, setResynced } from "@merkle/db";
import { MerkleError, type OutputOf, type ParsedInputOf } from "@merkle/wire";
import type { PersonActor } from "../identity/credential.js";
import type { PersonReaderContext, ReaderContext, SessionContext, TeamContext } from "../sessions/context.js";
import type { LivePeer } from "../sessions/peers/peer.js";
import type { FeedServices } from "./services.js";

type AckInput = ParsedInputOf<"ack">;
type AckOutput = OutputOf<"ack">;

/**
 * Acknowledges the feed up to a cursor. Once the promise resolves, the acknowledgement is on disk and
 * acknowledged messages are not delivered again (CURSOR-7).
 */
export async function ack(ctx: ReaderContext<FeedServices>, input: AckInput): Promise<AckOutput> {
  const { channels } = ctx.services;
  await refuseOtherHistory(ctx, { cursor: input.cursor });
  await refuseBeyondEnd(ctx, "cursor", input.cursor, channels.find(ctx.session.sessionId)?.head ?? 0);
  if (ctx.person) return { cursor: await noteReading(ctx, ctx.person, input.cursor) };
  return ackAsTeam(ctx, input);
}

async function ackAsTeam(ctx: TeamContext<FeedServices>, input: AckInput): Promise<AckOutput> {
  const { peer } = ctx.team;
  await ctx.services.presence.catchUp(peer, () => input.cursor <= peer.cursors.offered);
  const { skipped, saved } = await acknowledge(ctx, peer, { cursor: input.cursor, durable: true });
  await saved;
  return { cursor: peer.cursors.acked, ...(skipped > 0 ? { skipped } : {}) };
}

/**
 * Saves how much of a session a person has read, even if the person is not in the session. Returns the number
 * of unread messages (READ-1).
 */
export async function markRead(
  ctx: PersonReaderContext<FeedServices>,
  input: ParsedInputOf<"mark_read">,
): Promise<OutputOf<"mark_read">> {
  const { database, channels } = ctx.services;
  const { sessionId } = ctx.session;
  const { personId } = ctx.person;
  const cursor = input.cursor ?? (await readHead(ctx));
  await refuseBeyondEnd(ctx, "cursor", cursor, channels.find(sessionId)?.head ?? 0);
  const lastRead = await noteReading(ctx, ctx.person, cursor);
  const unread = await countUnread(database.orm, { meshId: database.meshId, personId }, [sessionId]);
  return { last_read: lastRead, unread: unread.get(sessionId) ?? 0 };
}

async function readHead({ services, session }: PersonReaderContext<FeedServices>): Promise<number> {
  const [head] = await readFeedHeads(services.database.orm, [session.sessionId]);
  return head?.lastSequence ?? 0;
}

/**
 * Acknowledges the messages that a peer reports as read. Returns how many messages for the peer were skipped
 * without ever being delivered (CURSOR-5). The skipped messages stay unread. `saved` resolves when a durable
 * acknowledgement is on disk.
 */
export async function acknowledge(
  { services }: TeamContext<FeedServices>,
  peer: LivePeer,
  { cursor, durable }: { readonly cursor: number; readonly durable: boolean },
): Promise<{ readonly skipped: number; readonly saved: Promise<void> | undefined }> {
  const skipped = await countSkipped(services, peer, cursor);
  return {
    skipped,
    saved: services.presence.advance(peer, { type: "acknowledged", cursor, skipped, durable }),
  };
}

async function countSkipped({ database }: FeedServices, peer: LivePeer, cursor: number): Promise<number> {
  const { offered } = peer.cursors;
  if (cursor <= offered) return 0;
  const { sessionId, peerId } = peer;
  const addressee = { peerId, includesOwn: false };
  return countInbox(database.orm, sessionId, addressee, { after: offered, upTo: cursor });
}

/** @throws bad_request when a cursor is beyond the end of the feed (CURSOR-1) */
export async function refuseBeyondEnd(
  ctx: SessionContext<FeedServices>,
  field: string,
  cursor: number,
  head: number,
): Promise<void> {
  if (cursor <= head) return;
  // The head in this node's memory may be behind if another node has written messages.
  const [feed] = await readFeedHeads(ctx.services.database.orm, [ctx.session.sessionId]);
  const last = feed?.lastSequence ?? 0;
  if (cursor <= last) return;
  throw new MerkleError(
    "bad_request",
    `The cursor ${cursor} is beyond the end of the feed (${last}). Use the cursor of your last read, or leave it out.`,
    { field, last_sequence: last },
  );
}

/**
 * Refuses cursors from another history of the database. Refuses any call that passes a different epoch
 * (WAIT-12) and, because the epoch is optional, each peer's first cursor after a restore (BACKUP-5).
 *
 * @throws resync, once to each peer that passes no epoch
 */
export async function refuseOtherHistory(
  { services, team }: Pick<SessionContext<FeedServices>, "services" | "team">,
  { epoch, cursor }: { readonly epoch?: string | undefined; readonly cursor?: number | undefined },
): Promise<void> {
  const { database } = services;
  const isOther =
    epoch === undefined ? team?.peer.needsResync && cursor !== undefined : epoch !== database.epoch;
  if (team?.peer.needsResync && (epoch !== undefined || cursor !== undefined))
    await noteResynced(database, team.peer);
  if (!isOther) return;
  throw new MerkleError(
    "resync",
    "The broker's database was restored from a backup, so your cursors may point to other messages now. Discard them, read the history and the document again, and continue with the new epoch.",
    { epoch: database.epoch },
  );
}

async function noteResynced({ orm }: FeedServices["database"], peer: LivePeer): Promise<void> {
  await setResynced(orm, peer.sessionId, peer.peerId);
  peer.needsResync = false;
}

/**
 * Saves that a person has read up to a cursor, and returns the resulting cursor. The person's team
 * acknowledges the same range, and the person's other browsers are notified. A person may read in any client,
 * so the reported cursor counts even if this peer never got the messages (PERSON-6).
 */
async function noteReading(
  { services, session, team, write }: ReaderContext<FeedServices>,
  { personId, pending: drawn }: PersonActor,
  cursor: number,
): Promise<number> {
  const { database, presence, mesh } = services;
  const { sessionId } = session;
  const reading = { meshId: database.meshId, personId, sessionId };
  // If the person does not exist yet, the read position must be saved in the transaction that creates the
  // person (PERSON-15).
  const lastRead = drawn
    ? await write(({ tx }) => saveLastRead(tx, reading, cursor))
    : await saveLastRead(database.orm, reading, cursor);
  if (team) {
    await presence.advance(team.peer, { type: "acknowledged", cursor: lastRead, skipped: 0, durable: true });
  }
  mesh.announceToPerson(personId, sessionId);
  return lastRead;
}
