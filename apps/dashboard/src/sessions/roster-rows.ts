import type { Participant, Peer } from "@merkle/wire";

/** A team of the roster with its peers, and the facts for its chip. */
export interface RosterRow {
  readonly team: Participant;
  /** Current peers. For a team that has left, its former peers. */
  readonly peers: readonly Peer[];
  /** The peer that has declared itself blocked the longest. */
  readonly blocked: Peer | null;
  /** If no peer is blocked: the peer that has declared do-not-disturb the longest. */
  readonly dnd: Peer | null;
  readonly isMe: boolean;
}

export interface RosterInput {
  readonly participants: readonly Participant[];
  readonly peers: readonly Peer[];
  readonly myTeamId: string | null;
}

/**
 * Sorts teams: blocked, active, idle, disconnected, then former teams. Within each group, teams are in the order in
 * which they joined.
 */
export function toRosterRows({ participants, peers, myTeamId }: RosterInput): RosterRow[] {
  return participants
    .map((team) => toRow(team, peers, myTeamId))
    .map((row, index) => ({ row, place: index }))
    .sort((a, b) => computeRank(a.row) - computeRank(b.row) || a.place - b.place)
    .map(({ row }) => row);
}

function toRow(team: Participant, all: readonly Peer[], myTeamId: string | null): RosterRow {
  const teamPeers = all.filter((peer) => peer.team_id === team.team_id);
  const currentPeers = teamPeers.filter((peer) => peer.left_at === null);
  const byDeclaredAt = currentPeers.toSorted((a, b) => findDeclaredAt(a).localeCompare(findDeclaredAt(b)));
  const blocked = byDeclaredAt.find(isBlocked) ?? null;
  return {
    team,
    peers: team.left_at === null ? currentPeers : teamPeers,
    blocked,
    dnd: blocked === null ? (byDeclaredAt.find(isDnd) ?? null) : null,
    isMe: team.team_id === myTeamId,
  };
}

function computeRank({ team, blocked }: RosterRow): number {
  if (team.left_at !== null) return 4;
  if (blocked !== null) return 0;
  return { active: 1, idle: 2, disconnected: 3 }[team.status];
}

export function isBlocked(peer: Peer): boolean {
  return peer.declared?.status === "blocked";
}

export function isDnd(peer: Peer): boolean {
  return peer.declared?.status === "dnd";
}

function findDeclaredAt(peer: Peer): string {
  return peer.declared?.at ?? "";
}

/** True if the roster bar shows the team: it is present and has posted or polled, or it left less than an hour ago. */
export function isInBar({ team, isMe }: RosterRow, now: Date): boolean {
  if (team.left_at !== null) return now.getTime() - Date.parse(team.left_at) < leftShownMs;
  return isMe || !team.folded;
}

const leftShownMs = 60 * 60 * 1000;

/** Returns the address of a team, or of one of its named peers. */
export function formatPeerAddress(team: string, peer: string | null): string {
  return peer === null ? team : `${team}/${peer}`;
}

/** Returns the groups of a session in alphabetical order, without duplicates. */
export function listGroups(peers: readonly Peer[]): string[] {
  const currentPeers = peers.filter((peer) => peer.left_at === null);
  return [...new Set(currentPeers.flatMap((peer) => peer.groups.map(({ name }) => name)))].sort();
}
