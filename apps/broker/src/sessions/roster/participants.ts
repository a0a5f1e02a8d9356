import type { Participant } from "@merkle/wire";
import { type Group, groupBy } from "../../core/group-by.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SessionServices } from "../context.js";
import { bestStatus } from "../peers/status.js";
import { type KnownPeer, readKnownPeers } from "./known-peers.js";
import { lastReadOf } from "./read-peers.js";

/** Every team that ever joined a session, with the status that follows from what was seen of its peers (ROSTER-4). */
export async function readRoster(
  services: SessionServices,
  session: SessionIdentity,
): Promise<Participant[]> {
  const peers = await readKnownPeers(services, session.sessionId);
  const teams = groupBy(peers, ({ teamId }) => teamId);
  return [...teams.values()].map((team) => toParticipant(services, session, team));
}

function toParticipant(
  { settings }: SessionServices,
  session: SessionIdentity,
  peers: Group<KnownPeer>,
): Participant {
  const [{ teamId, team, kind, personId, colour, teamJoinedAt, teamLeftAt }] = peers;
  const seen = Math.max(...peers.map((peer) => peer.lastSeenAt?.getTime() ?? 0));
  const named = peers.filter((peer) => peer.name !== null && peer.leftAt === null);
  return {
    team_id: teamId,
    team_name: team,
    kind,
    colour,
    person_id: personId,
    convener: teamId === session.createdByTeamId,
    joined_at: teamJoinedAt.toISOString(),
    last_seen_at: (seen > 0 ? new Date(seen) : teamJoinedAt).toISOString(),
    left_at: teamLeftAt?.toISOString() ?? null,
    status: bestStatus(peers.map((peer) => peer.status)),
    polling: peers.some((peer) => peer.polling),
    connections: peers.reduce((sum, peer) => sum + peer.connections, 0),
    last_read: lastReadOfTeam(peers, named),
    peers: named.length,
    folded: seen === 0 && (Date.now() - teamJoinedAt.getTime()) / 1000 > settings.current.fold_after_s,
  };
}

/** What all its named peers have read, where it has any: the last of them tells. */
function lastReadOfTeam(peers: readonly KnownPeer[], named: readonly KnownPeer[]): number {
  const readers = named.length > 0 ? named : peers.filter((peer) => peer.name === null);
  return Math.min(...readers.map(lastReadOf));
}
