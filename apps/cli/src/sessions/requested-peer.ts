import { existsSync } from "node:fs";
import { holdTeam, listStoredPeers, type StoredPeer, storedPeerId } from "../home/stored-peers.js";

/** The peer that a launch or an MCP server wants to act as. */
export interface RequestedPeer {
  readonly home: string;
  readonly meshId: string;
  /** The session's id or slug. */
  readonly sessionId: string;
  readonly teamName: string;
  /** The peer's name, if the user named one. */
  readonly peerName?: string | undefined;
  /** The name of a new peer otherwise, with a number if it is taken; null for the team's unnamed peer. */
  readonly defaultPeerName: string | null;
  /** The folder of the launch. Without a name, a peer of another folder is not continued. */
  readonly folder?: string | undefined;
}

/**
 * Lists the stored peers to continue as, the best first. The team of exactly that name comes before its numbered forms (JOIN-4).
 * In a team, the peer that ran last in the folder comes first, then the one with the default name, then the last used.
 */
export async function listStoredPeersOf(wanted: RequestedPeer): Promise<StoredPeer[]> {
  const isOfFolder = ({ folder }: StoredPeer) => folder !== null && folder === wanted.folder;
  const isDefault = (stored: StoredPeer) => isNamed(stored, wanted.defaultPeerName);
  const rankOf = (stored: StoredPeer) => (isOfFolder(stored) ? 0 : isDefault(stored) ? 1 : 2);
  const storedPeers = (await listOfTeam(wanted)).filter((stored) => isWantedPeer(wanted, stored));
  const teams = [...new Set(storedPeers.map((each) => each.team_id))];
  return teams.flatMap((team) =>
    storedPeers.filter((each) => each.team_id === team).sort((a, b) => rankOf(a) - rankOf(b)),
  );
}

/** The teams of that name whose credential this machine stores. It adds a peer even while another process acts as the team. */
export async function listOwnTeams(wanted: RequestedPeer): Promise<StoredPeer[]> {
  return (await listOfTeam(wanted)).filter((stored) => stored.peer_id === null);
}

/** The first of the stored peers that no live process acts as at this moment. */
export async function findFreeStoredPeer(wanted: RequestedPeer): Promise<StoredPeer | undefined> {
  for (const stored of await listStoredPeersOf(wanted)) {
    if (await isFree(wanted.home, stored)) return stored;
  }
  return undefined;
}

export async function isFree(home: string, stored: StoredPeer): Promise<boolean> {
  const hold = await holdTeam(home, storedPeerId(stored));
  await hold?.release();
  return hold !== null;
}

async function listOfTeam({ home, meshId, sessionId, teamName }: RequestedPeer): Promise<StoredPeer[]> {
  const storedPeers = await listStoredPeers(home, meshId);
  return storedPeers
    .filter((each) => each.session_id === sessionId.toLowerCase() || each.slug === sessionId)
    .map((stored) => ({ stored, number: numberAfter(teamName, stored.team_name) }))
    .filter(({ number }) => number !== undefined)
    .sort((a, b) => (a.number ?? 0) - (b.number ?? 0))
    .map(({ stored }) => stored);
}

function isWantedPeer({ peerName, defaultPeerName, folder }: RequestedPeer, stored: StoredPeer): boolean {
  if (peerName !== undefined) return isNamed(stored, peerName);
  if (folder !== undefined && isOfOtherFolder(stored, folder)) return false;
  return (stored.peer_name === null) === (defaultPeerName === null);
}

/** A peer whose folder was removed can be continued elsewhere. */
function isOfOtherFolder(stored: StoredPeer, folder: string): boolean {
  return stored.folder !== null && stored.folder !== folder && existsSync(stored.folder);
}

function isNamed({ peer_name: name }: StoredPeer, wanted: string | null): boolean {
  return name !== null && name.toLowerCase() === wanted?.trim().toLowerCase();
}

/** 1 for the name itself, in any case; n for `Name (n)`; undefined for another name. */
function numberAfter(wanted: string, name: string): number | undefined {
  const plain = wanted.trim().toLowerCase();
  const found = name.toLowerCase();
  if (found === plain) return 1;
  const suffix = found.startsWith(`${plain} (`) ? /^\((\d+)\)$/.exec(found.slice(plain.length + 1)) : null;
  return suffix ? Number(suffix[1]) : undefined;
}
