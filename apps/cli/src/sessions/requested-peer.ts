import { existsSync } from "node:fs";
import { listStoredPeers, lockStoredPeer, type StoredPeer, toStoredPeerId } from "../home/stored-peers.js";

/** The peer that a launch or an MCP server requests. */
export interface RequestedPeer {
  readonly home: string;
  readonly meshId: string;
  /** The session's id or slug. */
  readonly sessionId: string;
  readonly teamName: string;
  /** The peer's name, if the user named one. */
  readonly peerName?: string | undefined;
  /**
   * The default name for a new peer, to which a number is added if the name is taken. Null for the team's
   * unnamed peer.
   */
  readonly defaultPeerName: string | null;
  /** The folder of the launch. If no name is given, peers of other folders are not resumed. */
  readonly folder?: string | undefined;
}

/**
 * Lists the stored peers that can be resumed, best first. The team with exactly this name comes before teams
 * with a number added to the name (JOIN-4). Within a team, the peer that last ran in the folder comes first,
 * then the peer with the default name, then the others.
 */
export async function listResumablePeers(request: RequestedPeer): Promise<StoredPeer[]> {
  const isOfFolder = ({ folder }: StoredPeer) => folder !== null && folder === request.folder;
  const isDefault = (stored: StoredPeer) => isNamed(stored, request.defaultPeerName);
  const rankOf = (stored: StoredPeer) => (isOfFolder(stored) ? 0 : isDefault(stored) ? 1 : 2);
  const storedPeers = (await listOfTeam(request)).filter((stored) => matchesRequest(request, stored));
  const teams = [...new Set(storedPeers.map((each) => each.team_id))];
  return teams.flatMap((team) =>
    storedPeers.filter((each) => each.team_id === team).sort((a, b) => rankOf(a) - rankOf(b)),
  );
}

/**
 * Lists the teams with the requested name whose credential is stored on this machine. A team's credential can
 * add a peer even while another process acts as the team.
 */
export async function listOwnTeams(request: RequestedPeer): Promise<StoredPeer[]> {
  return (await listOfTeam(request)).filter((stored) => stored.peer_id === null);
}

/** Returns the first stored peer that can be resumed and that no live process uses. */
export async function findFreeStoredPeer(request: RequestedPeer): Promise<StoredPeer | undefined> {
  for (const stored of await listResumablePeers(request)) {
    if (await isUnused(request.home, stored)) return stored;
  }
  return undefined;
}

export async function isUnused(home: string, stored: StoredPeer): Promise<boolean> {
  const lock = await lockStoredPeer(home, toStoredPeerId(stored));
  await lock?.release();
  return lock !== null;
}

async function listOfTeam({ home, meshId, sessionId, teamName }: RequestedPeer): Promise<StoredPeer[]> {
  const storedPeers = await listStoredPeers(home, meshId);
  return storedPeers
    .filter((each) => each.session_id === sessionId.toLowerCase() || each.slug === sessionId)
    .map((stored) => ({ stored, number: findNumberAfter(teamName, stored.team_name) }))
    .filter(({ number }) => number !== undefined)
    .sort((a, b) => (a.number ?? 0) - (b.number ?? 0))
    .map(({ stored }) => stored);
}

function matchesRequest({ peerName, defaultPeerName, folder }: RequestedPeer, stored: StoredPeer): boolean {
  if (peerName !== undefined) return isNamed(stored, peerName);
  if (folder !== undefined && isOfOtherFolder(stored, folder)) return false;
  return (stored.peer_name === null) === (defaultPeerName === null);
}

/**
 * Returns whether the peer belongs to a different folder that still exists. A peer whose folder was deleted
 * may be resumed elsewhere.
 */
function isOfOtherFolder(stored: StoredPeer, folder: string): boolean {
  return stored.folder !== null && stored.folder !== folder && existsSync(stored.folder);
}

function isNamed({ peer_name: name }: StoredPeer, wanted: string | null): boolean {
  return name !== null && name.toLowerCase() === wanted?.trim().toLowerCase();
}

/**
 * Returns the number that was added to a name: 1 for the name itself, n for `Name (n)`, and undefined for
 * other names. Ignores case.
 */
function findNumberAfter(wanted: string, name: string): number | undefined {
  const plain = wanted.trim().toLowerCase();
  const lowerName = name.toLowerCase();
  if (lowerName === plain) return 1;
  const suffix = lowerName.startsWith(`${plain} (`)
    ? /^\((\d+)\)$/.exec(lowerName.slice(plain.length + 1))
    : null;
  return suffix ? Number(suffix[1]) : undefined;
}
