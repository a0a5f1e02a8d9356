import type { Participant, Peer } from "@merkle/wire";
import { formatPeerAddress, listGroups } from "@/sessions/roster-rows";

/** A possible recipient of a message. */
export interface Recipient {
  /** The name to send in the broker's `to` field. */
  readonly value: string;
  readonly label: string;
  /** Text that distinguishes recipients with the same name, and their status. */
  readonly note: string;
  readonly colour: number | null;
  /** Peers of this recipient that are disconnected, or have been silent for a long time. */
  readonly offlineNames: readonly string[];
}

export interface RecipientsInput {
  readonly participants: readonly Participant[];
  readonly peers: readonly Peer[];
  readonly myTeamId: string | null;
}

/** Lists the recipients that a message can name: humans, groups, teams, and the peers of teams that have several peers. */
export function listRecipients({ participants, peers, myTeamId }: RecipientsInput): Recipient[] {
  const teams = participants.filter((team) => team.left_at === null && team.team_id !== myTeamId);
  const currentPeers = peers.filter((peer) => peer.left_at === null && peer.team_id !== myTeamId);
  const humans = currentPeers.filter((peer) => peer.kind !== "agent");
  return [
    ...(humans.length > 0 ? [toHumans(humans)] : []),
    ...listGroups(currentPeers).map((name) => toGroup(name, currentPeers)),
    ...teams.flatMap((team) => {
      const teamPeers = currentPeers.filter((peer) => peer.team_id === team.team_id);
      return [
        toTeam(team, teamPeers),
        ...(teamPeers.length > 1 ? teamPeers.flatMap((peer) => toPeer(team, peer)) : []),
      ];
    }),
  ];
}

function toHumans(humans: readonly Peer[]): Recipient {
  return {
    value: "@humans",
    label: "@humans",
    note: formatPeerCount(humans),
    colour: null,
    offlineNames: [],
  };
}

function toGroup(name: string, currentPeers: readonly Peer[]): Recipient {
  const members = currentPeers.filter((peer) =>
    peer.groups.some((group) => group.name === name || group.name.startsWith(`${name}/`)),
  );
  return {
    value: `@${name}`,
    label: `@${name}`,
    note: formatPeerCount(members),
    colour: null,
    offlineNames: members.filter(isOffline).map(formatPeerName),
  };
}

function toTeam(team: Participant, teamPeers: readonly Peer[]): Recipient {
  const role = teamPeers.length === 1 ? teamPeers[0]?.role : null;
  const isHuman = team.kind !== "agent";
  return {
    value: team.team_name,
    label: team.team_name,
    note: isHuman
      ? team.kind
      : [role, teamPeers.length > 1 ? formatPeerCount(teamPeers) : null, team.status]
          .filter(Boolean)
          .join(", "),
    colour: team.colour,
    // Humans are not expected to poll: they read messages when they return.
    offlineNames: !isHuman && team.status === "disconnected" ? [team.team_name] : [],
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
      colour: team.colour,
      offlineNames: isOffline(peer) ? [value] : [],
    },
  ];
}

function isOffline(peer: Peer): boolean {
  return peer.kind === "agent" && peer.presence === "disconnected";
}

function formatPeerName(peer: Peer): string {
  return formatPeerAddress(peer.team, peer.name);
}

function formatPeerCount(peers: readonly Peer[]): string {
  return peers.length === 1 ? "1 peer" : `${peers.length} peers`;
}

/** Returns the recipients whose name contains the typed text, ignoring case. Names that start with the text come first. */
export function matchRecipients(recipients: readonly Recipient[], query: string): Recipient[] {
  const prefix = query.toLowerCase().replace(/^@/, "");
  const labels = recipients.map((recipient) => ({
    recipient,
    place: recipient.label.toLowerCase().replace(/^@/, "").indexOf(prefix),
  }));
  const matches = labels.filter(({ place: index }) => index >= 0);
  return [
    ...matches.filter(({ place: index }) => index === 0),
    ...matches.filter(({ place }) => place > 0),
  ].map(({ recipient }) => recipient);
}

/** Returns the chosen recipients that are away. */
export function listOfflineNames(to: readonly string[], recipients: readonly Recipient[]): string[] {
  const selected = recipients.filter(({ value }) => to.includes(value));
  return [...new Set(selected.flatMap(({ offlineNames }) => offlineNames))];
}
