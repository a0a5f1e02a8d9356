import { findAnswer, findMessage, readAskState, readReceipts } from "@merkle/db";
import {
  MerkleError,
  type OutputOf,
  type ParsedInputOf,
  type RecipientState,
  type WakePath,
} from "@merkle/wire";
import type { SessionIdentity } from "../identity/session-directory.js";
import type { SessionContext, TeamContext } from "../sessions/context.js";
import type { LivePeer } from "../sessions/peers/peer.js";
import {
  filterLeftPeers,
  filterPresentPeers,
  type KnownPeer,
  readKnownPeers,
} from "../sessions/roster/known-peers.js";
import { toCapabilities } from "../sessions/roster/list-peers.js";
import { refuseBeyondEnd, refuseOtherHistory } from "./cursors.js";
import type { SessionChannel } from "./delivery/channel.js";
import { formatAddress } from "./recipients.js";
import type { FeedServices } from "./services.js";
import { computeUnansweredCutoff } from "./unanswered.js";

type MessageStatusOutput = OutputOf<"message_status">;

/**
 * Returns the peers that a message reached, the peers that have received it, and the peer that answered it
 * (DELIVER-9).
 *
 * @throws not_found if the session has no message with this sequence
 */
export async function getMessageStatus(
  ctx: SessionContext<FeedServices>,
  input: ParsedInputOf<"message_status">,
): Promise<MessageStatusOutput> {
  const { services, session } = ctx;
  const message = await findMessage(services.database.orm, session.sessionId, input.message);
  if (!message) {
    throw new MerkleError("not_found", `There is no message ${input.message} in this session.`);
  }
  const { sequence, reaches, posted_at: postedAt, posted_by_peer_id: authorPeerId } = message;
  const recipients = await readRecipientStates(services, session, {
    sequence,
    reaches,
    postedAt,
    authorPeerId,
  });
  const { sessionId } = session;
  const ask = await readAskState(
    services.database.orm,
    { sessionId, sequence },
    computeUnansweredCutoff(services),
  );
  return {
    message: sequence,
    recipients,
    delivered: recipients.filter(({ delivered }) => delivered).length,
    answered: await readAnswer(ctx, sequence),
    open: ask?.isOpen ?? false,
    unanswered: ask?.isUnanswered ?? false,
  };
}

async function readAnswer(
  { services, session }: SessionContext<FeedServices>,
  ask: number,
): Promise<MessageStatusOutput["answered"]> {
  const answer = await findAnswer(services.database.orm, session.sessionId, ask);
  if (!answer) return null;
  const content: Record<string, unknown> = JSON.parse(answer.content);
  return {
    message: answer.sequence,
    by: formatAddress({ team: answer.author_team ?? "", name: answer.author_peer }),
    answer: typeof content["answer"] === "string" ? content["answer"] : null,
  };
}

/** The fields of a message that determine its recipients. */
interface AddressedMessage {
  readonly sequence: number;
  /** Ids of the recipients, or null for everyone. */
  readonly reaches: readonly string[] | null;
  readonly postedAt: Date;
  /** The peer that caused the message, which is never one of the recipients. */
  readonly authorPeerId: string | null;
}

/** Returns the peers that a message reaches, in the order of joining, each with its delivery state (DELIVER-9). */
export async function readRecipientStates(
  services: FeedServices,
  session: SessionIdentity,
  message: AddressedMessage,
): Promise<RecipientState[]> {
  const known = await readKnownPeers(services, session.sessionId);
  const recipients = filterRecipients(known, message);
  const receiverIds = recipients.filter((peer) => hasReceived(peer, message)).map(({ peerId }) => peerId);
  const receivedAt = await readReceipts(
    services.database.orm,
    session.sessionId,
    message.sequence,
    receiverIds,
  );
  return recipients.map((peer) => toRecipientState(peer, message, receivedAt.get(peer.peerId) ?? null));
}

/**
 * Returns the delivery states of a message that was just posted, when no recipient can have it yet. Uses the
 * peers that were already read to resolve the recipients.
 */
export function toInitialStates(known: readonly KnownPeer[], message: AddressedMessage): RecipientState[] {
  return filterRecipients(known, message).map((peer) => toRecipientState(peer, message, null));
}

function filterRecipients(known: readonly KnownPeer[], message: AddressedMessage): KnownPeer[] {
  const { reaches, authorPeerId } = message;
  const addressed = reaches === null ? filterPresentAt(known, message.postedAt) : known.filter(isIn(reaches));
  return addressed.filter(({ peerId }) => peerId !== authorPeerId);
}

/**
 * Returns the peers that were in the session at a given time. If a team has a named peer today, it is assumed
 * that the team had one then.
 */
function filterPresentAt(known: readonly KnownPeer[], at: Date): KnownPeer[] {
  const joined = known.filter(({ joinedAt }) => joinedAt <= at);
  const leftLater = filterLeftPeers(joined).filter(({ leftAt, teamLeftAt }) => {
    return [leftAt, teamLeftAt].every((left) => left === null || left > at);
  });
  return joined.filter(isIn([...filterPresentPeers(joined), ...leftLater].map(({ peerId }) => peerId)));
}

function isIn(peerIds: readonly string[]): (peer: KnownPeer) => boolean {
  const ids = new Set(peerIds);
  return ({ peerId }) => ids.has(peerId);
}

/**
 * Returns whether the peer has received the message: its cursor is at or past the message. For a person,
 * reading in any client counts too (PERSON-6).
 */
function hasReceived({ acked, personLastRead }: KnownPeer, { sequence }: AddressedMessage): boolean {
  return Math.max(acked, personLastRead ?? 0) >= sequence;
}

function toRecipientState(
  peer: KnownPeer,
  message: AddressedMessage,
  receivedAt: Date | null,
): RecipientState {
  const { lastSeenAt, joinedAt } = peer;
  return {
    team: peer.team,
    peer: peer.name,
    human: peer.kind !== "agent",
    status: peer.status,
    declared: peer.declaredStatus,
    connected: peer.connections > 0,
    last_seen_at: (lastSeenAt ?? joinedAt).toISOString(),
    wake: listWakePaths(peer),
    delivered: hasReceived(peer, message),
    delivered_at: receivedAt?.toISOString() ?? null,
  };
}

/**
 * Returns the ways in which a peer can be woken now: through a parked wait, or through the wake paths that
 * its connected client reports.
 */
function listWakePaths({ polling, connections, capabilities }: KnownPeer): WakePath[] {
  if (polling) return ["wait"];
  if (connections === 0) return [];
  return toCapabilities(capabilities)?.wake?.filter((path) => path !== "wait") ?? [];
}

/**
 * Creates the receipt for a reply to a call without a cursor. The next call passes the receipt to confirm
 * that the reply arrived (CURSOR-6).
 */
export function makeReceipt({ database }: FeedServices, { peerId }: LivePeer, upTo: number): string {
  return `${upTo}.${peerId}.${database.epoch}`;
}

/**
 * Returns the last sequence of the reply that a receipt refers to. Returns 0 for `none`, which callers pass
 * if they have no receipt.
 *
 * @throws bad_request if it is not a receipt for this peer, resync if it is from another history of the
 * database
 */
export async function readReceipt(
  ctx: TeamContext<FeedServices>,
  channel: SessionChannel,
  receipt: string,
): Promise<number> {
  const { peer } = ctx.team;
  if (receipt === "none") return 0;
  const [, upTo, peerId, epoch] = /^(\d{1,15})\.([0-9a-f-]{36})\.([0-9a-f-]{36})$/.exec(receipt) ?? [];
  if (upTo === undefined || peerId !== peer.peerId) {
    throw new MerkleError(
      "bad_request",
      `The receipt ${upTo === undefined ? "is not valid" : "belongs to another peer or session"}. Pass the receipt of your last reply unchanged, or "none" before the first.`,
      { fields: [{ field: "receipt", problem: "is not your receipt" }] },
    );
  }
  await refuseOtherHistory(ctx, { epoch });
  await refuseBeyondEnd(ctx, "receipt", Number(upTo), channel.head);
  return Number(upTo);
}
