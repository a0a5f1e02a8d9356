import { readReceipts } from "@merkle/db";
import type { RecipientState, WakePath } from "@merkle/wire";
import type { SessionIdentity } from "../identity/session-directory.js";
import { type KnownPeer, readKnownPeers } from "../sessions/roster/known-peers.js";
import { leftPeers, presentPeers } from "../sessions/roster/present-peers.js";
import { toCapabilities } from "../sessions/roster/read-peers.js";
import type { FeedServices } from "./services.js";

/** What of a message tells whom it is for. */
export interface Directed {
  readonly sequence: number;
  /** Null for everyone. */
  readonly reaches: readonly string[] | null;
  readonly postedAt: Date;
  /** Whoever caused it is none of those that it is for. */
  readonly authorPeerId: string | null;
}

/** The peers that a message reaches, in the order of joining, and what is known of it there (DELIVER-9). */
export async function readRecipientStates(
  services: FeedServices,
  session: SessionIdentity,
  message: Directed,
): Promise<RecipientState[]> {
  const known = await readKnownPeers(services, session.sessionId);
  const recipients = recipientsOf(known, message);
  const having = recipients.filter((peer) => hasGot(peer, message)).map(({ peerId }) => peerId);
  const receivedAt = await readReceipts(services.database.orm, session.sessionId, message.sequence, having);
  return recipients.map((peer) => toState(peer, message, receivedAt.get(peer.peerId) ?? null));
}

function recipientsOf(known: readonly KnownPeer[], message: Directed): KnownPeer[] {
  const { reaches, authorPeerId } = message;
  const meant = reaches === null ? thereAt(known, message.postedAt) : known.filter(isIn(reaches));
  return meant.filter(({ peerId }) => peerId !== authorPeerId);
}

/** Who was there at a moment. That a team had no named peer then, and has one now, is not told apart. */
function thereAt(known: readonly KnownPeer[], at: Date): KnownPeer[] {
  const come = known.filter(({ joinedAt }) => joinedAt <= at);
  const gone = leftPeers(come).filter(({ leftAt, teamLeftAt }) => {
    return [leftAt, teamLeftAt].every((left) => left === null || left > at);
  });
  return come.filter(isIn([...presentPeers(come), ...gone].map(({ peerId }) => peerId)));
}

function isIn(peerIds: readonly string[]): (peer: KnownPeer) => boolean {
  const ids = new Set(peerIds);
  return ({ peerId }) => ids.has(peerId);
}

/** Its model has got the message: its cursor passed it. A person may also have said so wherever they read (PERSON-6). */
function hasGot({ acked, personLastRead }: KnownPeer, { sequence }: Directed): boolean {
  return Math.max(acked, personLastRead ?? 0) >= sequence;
}

function toState(peer: KnownPeer, message: Directed, receivedAt: Date | null): RecipientState {
  const { lastSeenAt, joinedAt } = peer;
  return {
    team: peer.team,
    peer: peer.name,
    human: peer.kind !== "agent",
    status: peer.status,
    declared: peer.declaredStatus,
    connected: peer.connections > 0,
    last_seen_at: (lastSeenAt ?? joinedAt).toISOString(),
    wake: wakePathsOf(peer),
    delivered: hasGot(peer, message),
    delivered_at: receivedAt?.toISOString() ?? null,
  };
}

/** What can wake a peer at this moment: a wait that it has parked, or what its client says of itself while it is connected. */
function wakePathsOf({ polling, connections, capabilities }: KnownPeer): WakePath[] {
  if (polling) return ["wait"];
  if (connections === 0) return [];
  return toCapabilities(capabilities)?.wake?.filter((path) => path !== "wait") ?? [];
}
