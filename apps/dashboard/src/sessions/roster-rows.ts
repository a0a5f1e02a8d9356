import type { Participant, Peer } from "@merkle/wire";

/** A team of the roster with its peers, and the facts on its chip. */
export interface RosterRow {
  readonly team: Participant;
  /** Those that are there, and of a team that has left, those that were. */
  readonly peers: readonly Peer[];
  /** The peer that declared itself blocked, the longest first. */
  readonly blocked: Peer | null;
  /** If no peer is blocked: the peer that has set do not disturb the longest ago. */
  readonly dnd: Peer | null;
  readonly isMe: boolean;
}

export interface RosterInput {
  readonly participants: readonly Participant[];
  readonly peers: readonly Peer[];
  readonly myTeamId: string | null;
}

/** Blocked, active, idle, disconnected, then those who have left; the order of joining within each. */
export function toRosterRows({ participants, peers, myTeamId }: RosterInput): RosterRow[] {
  return participants
    .map((team) => toRow(team, peers, myTeamId))
    .map((row, place) => ({ row, place }))
    .sort((a, b) => rankOf(a.row) - rankOf(b.row) || a.place - b.place)
    .map(({ row }) => row);
}

function toRow(team: Participant, all: readonly Peer[], myTeamId: string | null): RosterRow {
  const own = all.filter((peer) => peer.team_id === team.team_id);
  const there = own.filter((peer) => peer.left_at === null);
  const byAge = there.toSorted((a, b) => declaredAt(a).localeCompare(declaredAt(b)));
  const blocked = byAge.find(isBlocked) ?? null;
  return {
    team,
    peers: team.left_at === null ? there : own,
    blocked,
    dnd: blocked === null ? (byAge.find(isDnd) ?? null) : null,
    isMe: team.team_id === myTeamId,
  };
}

function rankOf({ team, blocked }: RosterRow): number {
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

function declaredAt(peer: Peer): string {
  return peer.declared?.at ?? "";
}

/** Whether a team is in the bar: it is present and has posted or polled, or it left a short while ago. */
export function isInBar({ team, isMe }: RosterRow, now: Date): boolean {
  if (team.left_at !== null) return now.getTime() - Date.parse(team.left_at) < leftShownMs;
  return isMe || !team.folded;
}

const leftShownMs = 60 * 60 * 1000;

/** How a message reaches a team, or one of its named peers. */
export function addressOf(team: string, peer: string | null): string {
  return peer === null ? team : `${team}/${peer}`;
}

/** The groups of a session, each once, in the order of the alphabet. */
export function groupsOf(peers: readonly Peer[]): string[] {
  const there = peers.filter((peer) => peer.left_at === null);
  return [...new Set(there.flatMap((peer) => peer.groups.map(({ name }) => name)))].sort();
}
