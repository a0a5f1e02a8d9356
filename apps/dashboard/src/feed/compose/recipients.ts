import type { Participant, Peer } from "@merkle/wire";
import { formatPeerAddress, listGroups } from "@/sessions/roster-rows";

/** A possible recipient of a message. */
export interface Recipient {
  /** The name to send in the broker's `to` field. */
  readonly value: string;
  readonly label: string;
  /** Text that distinguishes recipients with the same name, and their status. */
  readonly note: string;
  readonly kind: "everyone" | "humans" | "group" | "team" | "peer";
  readonly colour: number | null;
  /** Peers of this recipient that are disconnected, or have been silent for a long time. */
  readonly away: readonly string[];
}

export interface RecipientsInput {
  readonly participants: readonly Participant[];
  readonly peers: readonly Peer[];
  readonly myTeamId: string | null;
}

/** Lists all possible recipients: everyone, humans, groups, teams, and the peers of teams that have several peers. */
export function listRecipients({ participants, peers, myTeamId }: RecipientsInput): Recipient[] {
  const teams = participants.filter((team) => team.left_at === null && team.team_id !== myTeamId);
  const there = peers.filter((peer) => peer.left_at === null && peer.team_id !== myTeamId);
  const humans = there.filter((peer) => peer.kind !== "agent");
  return [
    { value: "*", label: "everyone", note: "", kind: "everyone", colour: null, away: [] },
    ...(humans.length > 0 ? [toHumans(humans)] : []),
    ...listGroups(there).map((name) => toGroup(name, there)),
    ...teams.flatMap((team) => {
      const own = there.filter((peer) => peer.team_id === team.team_id);
      return [toTeam(team, own), ...(own.length > 1 ? own.flatMap((peer) => toPeer(team, peer)) : [])];
    }),
  ];
}

function toHumans(humans: readonly Peer[]): Recipient {
  return {
    value: "@humans",
    label: "@humans",
    note: countOf(humans),
    kind: "humans",
    colour: null,
    away: [],
  };
}

function toGroup(name: string, there: readonly Peer[]): Recipient {
  const members = there.filter((peer) =>
    peer.groups.some((group) => group.name === name || group.name.startsWith(`${name}/`)),
  );
  return {
    value: `@${name}`,
    label: `@${name}`,
    note: countOf(members),
    kind: "group",
    colour: null,
    away: members.filter(isAway).map(formatPeerName),
  };
}

function toTeam(team: Participant, own: readonly Peer[]): Recipient {
  const role = own.length === 1 ? own[0]?.role : null;
  const human = team.kind !== "agent";
  return {
    value: team.team_name,
    label: team.team_name,
    note: human
      ? team.kind
      : [role, own.length > 1 ? countOf(own) : null, team.status].filter(Boolean).join(", "),
    kind: "team",
    colour: team.colour,
    // Humans are not expected to poll: they read messages when they return.
    away: !human && team.status === "disconnected" ? [team.team_name] : [],
  };
}

function toPeer(team: Participant, peer: Peer): Recipient[] {
  if (peer.name === null) return [];
  const value = formatPeerAddress(team.team_name, peer.name);
  return [
    {
      value,
      label: value,
      note: [peer.role, peer.presence].filter(Boolean).join(", "),
      kind: "peer",
      colour: team.colour,
      away: isAway(peer) ? [value] : [],
    },
  ];
}

function isAway(peer: Peer): boolean {
  return peer.kind === "agent" && peer.presence === "disconnected";
}

function formatPeerName(peer: Peer): string {
  return formatPeerAddress(peer.team, peer.name);
}

function countOf(peers: readonly Peer[]): string {
  return peers.length === 1 ? "1 peer" : `${peers.length} peers`;
}

/** Returns the recipients whose name contains the typed text, ignoring case. Names that start with the text come first. */
export function matchRecipients(recipients: readonly Recipient[], typed: string): Recipient[] {
  const wanted = typed.toLowerCase().replace(/^@/, "");
  const places = recipients.map((recipient) => ({
    recipient,
    place: recipient.label.toLowerCase().replace(/^@/, "").indexOf(wanted),
  }));
  const found = places.filter(({ place }) => place >= 0);
  return [...found.filter(({ place }) => place === 0), ...found.filter(({ place }) => place > 0)].map(
    ({ recipient }) => recipient,
  );
}

/** Returns the chosen recipients that are away. */
export function listAway(to: readonly string[], recipients: readonly Recipient[]): string[] {
  const chosen = recipients.filter(({ value }) => to.includes(value));
  return [...new Set(chosen.flatMap(({ away }) => away))];
}
