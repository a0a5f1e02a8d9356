import { countMail, readFeedHeads, setResynced } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import type { SessionContext, TeamContext } from "../sessions/context.js";
import { acknowledgeUpTo, offerUpTo, type Peer } from "../sessions/peers/peer.js";
import type { FeedServices } from "./services.js";

/**
 * Acknowledges what a peer says that it has read, and returns how many messages for it that passed over although they
 * were never handed out (CURSOR-5). Those stay unread.
 */
export async function acknowledge(
  { services }: TeamContext<FeedServices>,
  peer: Peer,
  cursor: number,
): Promise<number> {
  const skipped = await countSkipped(services, peer, cursor);
  // Passing over nothing but what is not for the peer passes over nothing.
  if (skipped === 0) offerUpTo(peer, cursor);
  acknowledgeUpTo(peer, cursor);
  return skipped;
}

async function countSkipped({ database }: FeedServices, peer: Peer, cursor: number): Promise<number> {
  if (cursor <= peer.offered) return 0;
  const { sessionId, peerId } = peer;
  const addressee = { peerId, own: false };
  return countMail(database.orm, sessionId, addressee, { after: peer.offered, upTo: cursor });
}

/** @throws bad_request when a cursor lies beyond the end of the feed (CURSOR-1) */
export async function refuseBeyondEnd(
  ctx: SessionContext<FeedServices>,
  field: string,
  cursor: number,
  head: number,
): Promise<void> {
  if (cursor <= head) return;
  // What is held in memory may lag behind what another node wrote.
  const [feed] = await readFeedHeads(ctx.services.database.orm, [ctx.session.sessionId]);
  const last = feed?.lastSequence ?? 0;
  if (cursor <= last) return;
  throw new MerkleError(
    "bad_request",
    `${field} is ${cursor}, but the feed ends at ${last}. Use a cursor that a reply has given you, or leave it out.`,
    { field, last_sequence: last },
  );
}

/**
 * Refuses numbers from another history of the database: those that come with its epoch (WAIT-12), and, as nobody need say
 * an epoch, the first that a peer comes with after a restore (BACKUP-5).
 *
 * @throws resync, once to each peer that does not say the epoch
 */
export async function refuseOtherHistory(
  { services, team }: Pick<SessionContext<FeedServices>, "services" | "team">,
  { epoch, cursor }: { readonly epoch?: string | undefined; readonly cursor?: number | undefined },
): Promise<void> {
  const { database } = services;
  const isOther = epoch === undefined ? team?.peer.resync && cursor !== undefined : epoch !== database.epoch;
  if (team?.peer.resync && (epoch !== undefined || cursor !== undefined))
    await noteResynced(database, team.peer);
  if (!isOther) return;
  throw new MerkleError(
    "resync",
    "The database was restored since you got your cursors: the same numbers may mean other messages now. Forget your cursors, read the history and the document again, and go on with the new epoch.",
    { epoch: database.epoch },
  );
}

async function noteResynced({ orm }: FeedServices["database"], peer: Peer): Promise<void> {
  await setResynced(orm, peer.sessionId, peer.peerId);
  peer.resync = false;
}
