import { readFeedHeads } from "@merkle/db";
import { type ClientFrame, MerkleError, type SubscribeReply } from "@merkle/wire";
import { frameRules } from "@merkle/wire/schemas";
import { refuseOtherHistory } from "../../feed/cursors.js";
import {
  type PeerInbox,
  type Sink,
  type Subscription,
  startSubscription,
} from "../../feed/delivery/subscription.js";
import { admitCaller } from "../../sessions/access/admit-caller.js";
import type { LivePeer } from "../../sessions/peers/peer.js";
import type { Admission, Services } from "../services.js";

type SubscribeFrame = Extract<ClientFrame, { type: "subscribe" }>;

export interface OpenedSubscription {
  /**
   * The reply to the client. Must be sent before `start` is called, because the first messages must follow
   * it.
   */
  readonly subscribed: SubscribeReply;
  /** The peer whose inbox is subscribed. Null for a follow. */
  readonly peer: LivePeer | null;
  start(sink: Sink): Subscription;
}

/**
 * Authorises a `subscribe` frame and finds its starting cursor (WS-3).
 *
 * @throws the errors of any call (AUTH-12); resync; bad_request for a cursor beyond the end
 */
export async function openSubscription(
  { principal, services }: Admission,
  frame: SubscribeFrame,
): Promise<OpenedSubscription> {
  const { kind } = frame;
  const { session, caller } = await admitCaller(services, { operation: frameRules[kind], principal }, frame);
  if (!session) throw new TypeError("A subscription must name a session.");
  await refuseOtherHistory(
    { services, team: caller?.team ?? null },
    { epoch: frame.epoch, cursor: frame.after },
  );

  const channel = await services.channels.open(session.sessionId);
  const peer = kind === "inbox" ? (caller?.team?.peer ?? null) : null;
  const end = await findEnd(services, session.sessionId, peer);
  if (end !== undefined) await channel.reach(end);
  const last = Math.max(channel.head, end ?? 0);
  const after = peer ? peer.cursors.acked : (frame.after ?? last);
  refuseBeyond(last, after);
  if (peer) services.presence.notePoll(peer);

  return {
    peer,
    subscribed: {
      session_id: session.sessionId,
      after,
      last_sequence: last,
      epoch: services.database.epoch,
    },
    start: (sink) =>
      startSubscription({
        channel,
        kind,
        after,
        inbox: peer && toInbox(services, peer),
        sink,
        log: services.log,
        onDelivered: (messages) => {
          services.metrics.deliveries.inc({ path: kind }, messages.length);
          services.traces?.recordDelivery(session.sessionId, messages, kind);
        },
      }),
  };
}

function toInbox({ presence }: Services, peer: LivePeer): PeerInbox {
  return {
    peer,
    advance: (event) => void presence.advance(peer, event),
    save: () => presence.saveSoon(peer),
  };
}

/**
 * Finds the end of the feed, since the client may have received messages from another node that this node
 * does not know about. Undefined if there are no other nodes.
 */
async function findEnd(
  { nodes, presence, database }: Services,
  sessionId: string,
  peer: LivePeer | null,
): Promise<number | undefined> {
  if (nodes.isAlone) return undefined;
  if (peer) return presence.catchUp(peer);
  const [feed] = await readFeedHeads(database.orm, [sessionId]);
  return feed?.lastSequence;
}

function refuseBeyond(last: number, after: number): void {
  if (after <= last) return;
  throw new MerkleError("bad_request", `Message ${after} is beyond the end of the feed (${last}).`, {
    field: "after",
    last_sequence: last,
  });
}
