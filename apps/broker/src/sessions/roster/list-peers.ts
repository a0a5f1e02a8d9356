import type { PeerRosterRow } from "@merkle/db";
import type { OutputOf, ParsedInputOf, Participant, Peer, Peer as WirePeer } from "@merkle/wire";
import { Capabilities, KeyCard, OwnLaunch } from "@merkle/wire/schemas";
import { groupBy, type NonEmptyGroup } from "../../core/group-by.js";
import type { SessionIdentity } from "../../identity/session-directory.js";
import type { SessionContext, SessionServices } from "../context.js";
import { type FeaturePeerFacts, readPeerFacts } from "../hooks.js";
import { isMember } from "../peers/membership.js";
import { pickBestStatus } from "../peers/status.js";
import { filterLeftPeers, filterPresentPeers, type KnownPeer, readKnownPeers } from "./known-peers.js";

export async function listPeers(
  { services, session }: SessionContext<SessionServices>,
  { group, include_left }: ParsedInputOf<"list_peers">,
): Promise<OutputOf<"list_peers">> {
  const peers = await readPeers(services, session, { includeLeft: include_left });
  return { peers: group === undefined ? peers : peers.filter((peer) => isIn(peer, group)) };
}

function isIn(peer: Peer, group: string): boolean {
  switch (group.toLowerCase()) {
    case "all":
      return true;
    case "humans":
      return peer.kind !== "agent";
    default:
      return isMember(peer.groups, group);
  }
}

/** Returns a session's peers in their public form (PEER-8), present peers first. */
async function readPeers(
  services: SessionServices,
  session: SessionIdentity,
  { includeLeft = false }: { includeLeft?: boolean } = {},
): Promise<WirePeer[]> {
  const [known, getFacts] = await Promise.all([
    readKnownPeers(services, session.sessionId),
    readPeerFacts(services, session.sessionId),
  ]);
  return [...filterPresentPeers(known), ...(includeLeft ? filterLeftPeers(known) : [])].map((peer) =>
    toWirePeer(peer, getFacts(peer.peerId)),
  );
}

function toWirePeer(peer: KnownPeer, facts: FeaturePeerFacts): WirePeer {
  return {
    peer_id: peer.peerId,
    team_id: peer.teamId,
    team: peer.team,
    name: peer.name,
    kind: peer.kind,
    role: peer.role,
    groups: peer.groups.map(({ name, role }) => ({ name, role })),
    ...toReportedState(peer),
    wake: peer.wake,
    capabilities: toCapabilities(peer.capabilities),
    cwd: peer.cwd,
    machine: peer.machine,
    session_key: peer.sessionKey,
    key_card: toKeyCard(peer),
    ...toOwnWords(peer),
    joined_at: peer.joinedAt.toISOString(),
    last_seen_at: (peer.lastSeenAt ?? peer.joinedAt).toISOString(),
    last_polled_at: peer.lastPolledAt?.toISOString() ?? null,
    left_at: (peer.leftAt ?? peer.teamLeftAt)?.toISOString() ?? null,
    polling: peer.polling,
    connected: peer.connections > 0,
    last_read: toLastRead(peer),
    ...facts,
  };
}

/**
 * Returns the peer's key card. A card is valid for only one session key, so it is left out if the peer has
 * reported another key since.
 */
function toKeyCard({ keyCard, sessionKey }: PeerRosterRow): WirePeer["key_card"] {
  const card = KeyCard.safeParse(keyCard).data;
  const isCurrent = card && Buffer.from(card.session_key, "base64url").toString("base64") === sessionKey;
  return isCurrent ? card : null;
}

function toOwnWords({ ownWords }: PeerRosterRow): Pick<WirePeer, "own_words"> {
  const launch = OwnLaunch.safeParse(ownWords).data;
  return launch ? { own_words: launch } : {};
}

type ReportedState = Pick<WirePeer, "status" | "presence" | "declared" | "summary" | "summary_at">;

/** Returns the status that a peer itself reported and the presence that the broker observed (PEER-8). */
export function toReportedState(
  peer: Pick<
    KnownPeer,
    "status" | "declaredStatus" | "declaredReason" | "declaredAt" | "summary" | "summaryAt"
  >,
): ReportedState {
  const declared = toDeclared(peer);
  return {
    status: peer.status === "disconnected" ? "disconnected" : (declared?.status ?? "idle"),
    presence: peer.status,
    declared,
    summary: peer.summary ?? "",
    summary_at: peer.summaryAt?.toISOString() ?? null,
  };
}

function toDeclared({
  declaredStatus,
  declaredReason,
  declaredAt,
}: Pick<PeerRosterRow, "declaredStatus" | "declaredReason" | "declaredAt">): WirePeer["declared"] {
  if (!declaredStatus || !declaredAt) return null;
  return { status: declaredStatus, reason: declaredReason, at: declaredAt.toISOString() };
}

/**
 * Returns the declared status in a team that matters most to others: the oldest `blocked`, or else the oldest
 * `dnd` (PEER-18).
 */
function pickTeamDeclaration(peers: readonly KnownPeer[]): Participant["declared"] {
  const declarations = peers
    .filter(({ leftAt, teamLeftAt }) => leftAt === null && teamLeftAt === null)
    .flatMap((peer) => toDeclared(peer) ?? [])
    .sort((a, b) => a.at.localeCompare(b.at));
  return (
    declarations.find(({ status }) => status === "blocked") ??
    declarations.find(({ status }) => status === "dnd") ??
    null
  );
}

/**
 * Returns a peer's stored capabilities. Returns null if another version has stored them in an unknown form.
 */
export function toCapabilities(stored: unknown): Capabilities | null {
  return Capabilities.safeParse(stored).data ?? null;
}

/**
 * Returns a peer's read position. For people, the position is stored per person, because people can read
 * without moving their team's cursor.
 */
function toLastRead(peer: Pick<KnownPeer, "personId" | "personLastRead" | "acked">): number {
  return peer.personId === null ? peer.acked : (peer.personLastRead ?? 0);
}

/**
 * Returns every team that has ever joined a session. Each team's status is derived from its peers' presence
 * (ROSTER-4).
 */
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
  peers: NonEmptyGroup<KnownPeer>,
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
    status: pickBestStatus(peers.map((peer) => peer.status)),
    declared: pickTeamDeclaration(peers),
    polling: peers.some((peer) => peer.polling),
    connections: peers.reduce((sum, peer) => sum + peer.connections, 0),
    last_read: computeTeamLastRead(peers, named),
    peers: named.length,
    folded: seen === 0 && (Date.now() - teamJoinedAt.getTime()) / 1000 > settings.current.fold_after_s,
  };
}

/**
 * Returns the lowest read position among a team's named peers. If the team has no named peers, returns the
 * unnamed peer's position.
 */
function computeTeamLastRead(peers: readonly KnownPeer[], named: readonly KnownPeer[]): number {
  const readers = named.length > 0 ? named : peers.filter((peer) => peer.name === null);
  return Math.min(...readers.map(toLastRead));
}

export async function listParticipants(
  { services, session }: SessionContext<SessionServices>,
  input: ParsedInputOf<"list_participants">,
): Promise<OutputOf<"list_participants">> {
  const roster = await readRoster(services, session);
  const folded = roster.filter((row) => row.folded).length;
  return { participants: input.include_folded ? roster : roster.filter((row) => !row.folded), folded };
}
