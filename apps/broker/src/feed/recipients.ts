import type { PeerRosterRow } from "@merkle/db";
import { MerkleError } from "@merkle/wire";
import { type Audience, everyone } from "../core/message.js";
import type { TeamContext } from "../sessions/context.js";
import { filterPresentPeers, type KnownPeer, readKnownPeers } from "../sessions/roster/known-peers.js";
import type { FeedServices } from "./services.js";

/** The fields of a peer that determine whether it is a recipient. */
export type Addressable = Pick<
  PeerRosterRow,
  | "peerId"
  | "teamId"
  | "team"
  | "teamLeftAt"
  | "kind"
  | "name"
  | "groups"
  | "sessionKey"
  | "lastPolledAt"
  | "leftAt"
>;

/**
 * Resolves the recipients of a message among the current peers (SEND-2). For a message to everyone, no peers
 * are read.
 *
 * @param askerId - the peer that gets the message if `to` names nobody (SEND-12), or null for everyone
 */
export async function readAudience(
  { services, session, team, transport }: TeamContext<FeedServices>,
  to: readonly string[] | undefined,
  askerId: string | null,
): Promise<{ readonly audience: Audience; readonly known: readonly KnownPeer[] }> {
  const isForEveryone = to === undefined ? askerId === null : to.every(isEveryone);
  if (isForEveryone) return { audience: everyone, known: [] };
  const known = await readKnownPeers(services, session.sessionId);
  if (to === undefined) return { audience: toAsker(known, askerId), known };
  return { audience: resolveRecipients(known, to, team.peer.peerId, transport !== "rest"), known };
}

/**
 * Returns the asker as the only recipient. Returns everyone if the asker has left, or if its only address could be
 * mistaken for a group.
 */
function toAsker(known: readonly KnownPeer[], askerId: string | null): Audience {
  const asker = filterPresentPeers(known).find(({ peerId }) => peerId === askerId);
  const name = asker && formatAddress(asker);
  if (!asker || !name || /^[@*]/.test(name)) return everyone;
  return { recipients: [name], reaches: [asker.peerId] };
}

/**
 * Finds the peers named in `to`, except the sender (SEND-3).
 *
 * @param canNameTeams - whether `@Birch` can refer to the team if no group has that name, because models write
 *   team names that way (MCP-22)
 * @throws not_found for a name that is not in the session, bad_request if a name is ambiguous or refers only
 *   to the sender
 */
export function resolveRecipients(
  rows: readonly Addressable[],
  to: readonly string[],
  senderId: string,
  canNameTeams = false,
): Audience {
  const roster = toRoster(rows, senderId);
  const targets = to.map((entry) => resolve(roster, entry, canNameTeams));
  if (to.some(isEveryone)) return everyone;
  const reaches = new Set(targets.flatMap(({ peers }) => peers.map(({ peerId }) => peerId)));
  reaches.delete(senderId);
  if (reaches.size === 0 && !to.some(isHumans)) throw onlySender(to);
  return { recipients: [...new Set(targets.map(({ name }) => name))], reaches: [...reaches] };
}

export function isEveryone(entry: string): boolean {
  return entry === "*" || fold(entry) === "@all";
}

function isHumans(entry: string): boolean {
  return fold(entry) === "@humans";
}

/** Converts a name to lower case. Comparisons of names ignore case. */
export function fold(name: string): string {
  return name.toLowerCase();
}

/** Returns a peer's address. Leaves out a team name that could be mistaken for a group or for everyone. */
export function formatAddress({ team, name }: Pick<Addressable, "team" | "name">): string {
  if (name === null) return team;
  return /^[@*]/.test(team) ? name : `${team}/${name}`;
}

/**
 * The names that can be recipients. Indexed once, because a message may name many recipients and a session
 * may have many more.
 */
interface Roster {
  /** All peers that have ever been in the session. */
  readonly rows: readonly Addressable[];
  /** The peers that can receive messages now. */
  readonly present: readonly Addressable[];
  readonly senderId: string;
  readonly byAddress: Index;
  readonly bySessionKey: Index;
  readonly byName: Index;
  readonly byTeam: Index;
  readonly memberships: readonly {
    readonly peer: Addressable;
    readonly name: string;
    readonly path: string;
  }[];
}

type Index = ReadonlyMap<string, readonly Addressable[]>;

function toRoster(rows: readonly Addressable[], senderId: string): Roster {
  const present = filterPresentPeers(rows);
  return {
    rows,
    present,
    senderId,
    byAddress: indexBy(present, ({ team, name }) => name && fold(`${team}/${name}`)),
    bySessionKey: indexBy(present, ({ sessionKey }) => sessionKey),
    byName: indexBy(present, ({ name }) => name && fold(name)),
    byTeam: indexBy(present, ({ team }) => fold(team)),
    memberships: present.flatMap((peer) =>
      peer.groups.map(({ name }) => ({ peer, name, path: `${fold(name)}/` })),
    ),
  };
}

function indexBy(peers: readonly Addressable[], toKey: (peer: Addressable) => string | null): Index {
  const index = new Map<string, Addressable[]>();
  for (const peer of peers) {
    const key = toKey(peer);
    if (key === null) continue;
    const peersWithKey = index.get(key);
    if (peersWithKey) peersWithKey.push(peer);
    else index.set(key, [peer]);
  }
  return index;
}

/** The peers that an entry in `to` refers to, and the name stored for it. */
interface AddressedPeers {
  readonly name: string;
  readonly peers: readonly Addressable[];
}

function resolve(roster: Roster, entry: string, canNameTeams: boolean): AddressedPeers {
  const target =
    entry === "*" || entry.startsWith("@")
      ? (findGroup(roster, entry) ?? (canNameTeams ? findTeam(roster, entry.slice(1)) : null))
      : (findAddress(roster, entry) ??
        findSessionKey(roster, entry) ??
        findPeer(roster, entry) ??
        findTeam(roster, entry));
  if (target) return target;
  throw recipientNotFound(roster, entry);
}

function findGroup({ present, memberships }: Roster, entry: string): AddressedPeers | null {
  if (isEveryone(entry)) return { name: "*", peers: present };
  // People can read a session without joining it, so `@humans` is valid even if no human has joined.
  if (isHumans(entry)) return { name: "@humans", peers: present.filter(({ kind }) => kind !== "agent") };
  const prefix = `${fold(entry.slice(1))}/`;
  const matching = memberships.filter(({ path }) => path.startsWith(prefix));
  const spelling = matching[0]?.name.split("/").slice(0, prefix.split("/").length - 1);
  return toAddressedPeers(`@${spelling?.join("/")}`, [...new Set(matching.map(({ peer }) => peer))]);
}

/** Finds a peer by `team/peer`. Only the team's name may contain a slash, so addresses are unambiguous. */
function findAddress({ byAddress }: Roster, entry: string): AddressedPeers | null {
  return toSinglePeer(byAddress.get(fold(entry)), entry);
}

function findSessionKey({ bySessionKey }: Roster, entry: string): AddressedPeers | null {
  const matching = bySessionKey.get(entry) ?? [];
  if (matching.length > 1) throw ambiguous(entry, matching.map(formatAddress));
  return toSinglePeer(matching, entry);
}

function findPeer({ byName, byTeam }: Roster, entry: string): AddressedPeers | null {
  const [peer] = byName.get(fold(entry)) ?? [];
  if (!peer) return null;
  const namesake = byTeam.get(fold(entry))?.find(({ teamId }) => teamId !== peer.teamId);
  if (namesake) throw ambiguous(entry, [formatAddress(peer), `the team ${namesake.team}`]);
  return toSinglePeer([peer], entry);
}

/** Finds all peers of a team that can receive messages. */
function findTeam({ byTeam }: Roster, entry: string): AddressedPeers | null {
  const peers = byTeam.get(fold(entry)) ?? [];
  return toAddressedPeers(peers[0]?.team ?? entry, peers);
}

function toSinglePeer([peer]: readonly Addressable[] = [], entry: string): AddressedPeers | null {
  if (!peer) return null;
  // If the team's name looks like a group name, the team's address could be mistaken for another recipient, so
  // the entry is kept as written.
  const name = peer.name === null && /^[@*]/.test(peer.team) ? entry : formatAddress(peer);
  return { name, peers: [peer] };
}

function toAddressedPeers(name: string, peers: readonly Addressable[]): AddressedPeers | null {
  return peers.length > 0 ? { name, peers } : null;
}

/** Maximum number of names listed in an error. */
const namesMax = 20;

function recipientNotFound({ rows, present, senderId }: Roster, entry: string): MerkleError {
  const others = present.filter(({ peerId }) => peerId !== senderId);
  const addresses = others.map(formatAddress).filter((address) => !/^[@*]/.test(address));
  const groups = new Set(others.flatMap((other) => other.groups.map(({ name }) => `@${name}`)));
  const names = [...addresses, ...groups];
  const listed = names.slice(0, namesMax).join(", ") || "no one else";
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : "";
  return new MerkleError(
    "not_found",
    `${describeMissing(rows, entry)}, so nothing was sent. In this session: ${listed}${more}.`,
    {
      to: entry,
      there: names.slice(0, namesMax),
      ...(more !== "" && { next: "list_peers" }),
    },
  );
}

function describeMissing(rows: readonly Addressable[], entry: string): string {
  if (entry.startsWith("@")) return `No one here is in the group ${entry}`;
  const folded = fold(entry);
  const hasLeft = rows.some((row) => {
    return (
      row.sessionKey === entry || [row.team, row.name ?? "", formatAddress(row)].map(fold).includes(folded)
    );
  });
  return hasLeft ? `"${entry}" has left this session` : `There is no "${entry}" in this session`;
}

function ambiguous(entry: string, candidates: readonly string[]): MerkleError {
  return new MerkleError(
    "bad_request",
    `"${entry}" can mean ${candidates.join(" or ")}, so nothing was sent. Name a peer as "team/peer".`,
    { to: entry, there: candidates },
  );
}

function onlySender(to: readonly string[]): MerkleError {
  return new MerkleError(
    "bad_request",
    `The only recipient is yourself (${to.join(", ")}), so nothing was sent. Name someone else, or leave the recipients out to write to everyone.`,
    { to },
  );
}
