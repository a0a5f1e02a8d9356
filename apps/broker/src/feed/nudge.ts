import type { NudgeFrame, OutputOf, ParsedInputOf, WakePath } from "@merkle/wire";
import { sessionClosed } from "../sessions/access/authorize.js";
import type { TeamContext } from "../sessions/context.js";
import { filterPresentPeers, type KnownPeer, readKnownPeers } from "../sessions/roster/known-peers.js";
import { formatAddress, resolveRecipients } from "./recipients.js";
import type { FeedServices } from "./services.js";

/**
 * Runs the wake paths of the peers that `to` names and reports which paths reached them. Posts nothing
 * (NUDGE-1). A parked wait ends as if it had timed out. A client that is connected as a peer is asked to run
 * its own wake paths and to report which of them it ran.
 *
 * @throws not_found or bad_request, as for a message to the same recipients
 */
export async function nudge(
  ctx: TeamContext<FeedServices>,
  input: ParsedInputOf<"nudge">,
): Promise<OutputOf<"nudge">> {
  const { services, session, team, transport } = ctx;
  const channel = await services.channels.open(session.sessionId);
  if (channel.isClosed) throw sessionClosed(session);
  const known = await readKnownPeers(services, session.sessionId);
  const { reaches } = resolveRecipients(known, input.to, team.peer.peerId, transport !== "rest");
  const targets = filterPresentPeers(known).filter(({ peerId }) => {
    return peerId !== team.peer.peerId && (reaches === null || reaches.includes(peerId));
  });
  const by: NudgeFrame["by"] = {
    name: formatAddress({ team: team.name, name: team.peer.name }),
    human: team.kind === "human",
  };
  const peerIds = targets.map(({ peerId }) => peerId);
  const reached = await services.wakePeers.wake({ sessionId: session.sessionId, peerIds, by }, ctx.signal);
  return { nudged: targets.map((peer) => toNudgeResult(peer, reached.get(peer.peerId) ?? [])) };
}

function toNudgeResult(
  { team, name, connections, lastSeenAt, joinedAt }: KnownPeer,
  reached: readonly WakePath[],
): OutputOf<"nudge">["nudged"][number] {
  return {
    team,
    peer: name,
    connected: connections > 0,
    reached: [...reached],
    last_seen_at: (lastSeenAt ?? joinedAt).toISOString(),
  };
}
